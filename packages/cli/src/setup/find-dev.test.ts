import { expect, test } from 'vitest'
import { findDev, judgeDataDir } from './find-dev.ts'

const RECORD = { url: 'http://127.0.0.1:4747', rpcUrl: 'http://rpc', databaseUrl: 'postgres://db', signerKeys: [] }
const ports = { read: async () => RECORD, isUp: async () => true }
const withEnv = (env: Record<string, string>) => ({ flags: {}, env, file: null })

test('a running dev is found, unless another service is configured', async () => {
  expect(await findDev(withEnv({}), ports)).toEqual({ type: 'running', dev: RECORD })
  expect(await findDev(withEnv({}), { ...ports, read: async () => null })).toEqual({ type: 'not_running' })
  expect(await findDev(withEnv({}), { ...ports, isUp: async () => false })).toEqual({ type: 'not_running' })
  expect(await findDev(withEnv({ DROVER_RPC_URL: 'http://rpc' }), ports)).toEqual({ type: 'configured' })
  expect(await findDev(withEnv({ DROVER_DATABASE_URL: 'postgres://db' }), ports)).toEqual({ type: 'configured' })
})

test('a data folder that was named and is not used is said', () => {
  expect(judgeDataDir({ type: 'configured' }, 'x')).toEqual({
    check: '--data-dir',
    status: 'warning',
    detail: 'x is ignored, because a database or an RPC node is configured',
    fix: 'leave out --data-dir, or the other settings',
  })
  expect(judgeDataDir({ type: 'not_running' }, 'x')).toEqual({
    check: '--data-dir',
    status: 'warning',
    detail: 'x is ignored, because no `drover dev` runs there',
    fix: 'start it with `drover dev --data-dir x`',
  })
})
