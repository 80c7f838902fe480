/** The programs of `examples/` against a service that has API keys. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { runExample } from './run-example.ts'

let running: TestService

beforeAll(async () => {
  const env = { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' }
  running = await startService({ chain: { blockTimeSeconds: 1 }, env })
})

afterAll(() => running?.stop())

test('with API keys: each example uses DROVER_API_KEY', async () => {
  const { database, drover: service } = running
  const args = ['key', 'create', '--json', '--name', 'examples', '--scope', 'read,send,operate,admin']
  const made = launchDrover(args, { DROVER_DATABASE_URL: database.url })
  const { token } = JSON.parse(await made.lineWhere((line) => line.startsWith('{')))
  expect(await made.exited).toBe(0)
  await eventually(
    () => service.get('/v1/signers'),
    ({ status }) => status === 401,
    { everyMs: 50 },
  )
  const key = { DROVER_API_KEY: token }
  expect(await runExample('send-and-wait', service.url, key)).toHaveLength(2)
  expect(await runExample('send-with-viem', service.url, key)).toEqual(['viem: success', 'ethers: success'])
  expect(await runExample('json-rpc', service.url, key)).toEqual([
    'viem: success',
    'ethers: success',
    'web3.js: success',
  ])
})
