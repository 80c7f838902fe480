/** The hook of docs/operations.md, as it stands there, decides about a transaction that the chain does not take. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService } from '../setup/service.ts'

const sender = developmentAccount(0)

let folder: string
let chain: TestChain
let drover: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-hook-'))
  const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const hook = /```js\n(\/\/ stuck-hook\.mjs[\s\S]*?)```/.exec(guide)?.[1]
  if (hook === undefined) throw new Error('the guide shows no hook')
  await writeFile(join(folder, 'stuck-hook.mjs'), hook)
  const started = await startService({
    env: { DROVER_FINALITY: '1', DROVER_STUCK_AFTER: '1s', DROVER_STUCK_HOOK: join(folder, 'stuck-hook.mjs') },
  })
  ;({ chain, drover, stop } = started)
})

afterAll(async () => {
  await stop?.()
  await rm(folder, { recursive: true, force: true })
})

test('the hook is asked, its answer is carried out and recorded with its reason, and a late inclusion still confirms', async () => {
  const { body } = await drover.post('/v1/transactions', { from: sender.address, to: sender.address, value: '1' })
  const history = async () =>
    (await drover.get(`/v1/transactions/${body.id}/history`)).body.items as { type: string; detail: object }[]
  const entries = await eventually(history, (items) => items.some(({ type }) => type === 'operator.retried'))
  expect(entries.map(({ type }) => type)).toContain('stuck.declared')
  expect(entries.find(({ type }) => type === 'operator.retried')?.detail).toMatchObject({
    actor: 'stuck-hook',
    reason: 'the node was restarted',
  })
  const final = await eventually(
    async () => {
      await chain.mine(1)
      return (await drover.get(`/v1/transactions/${body.id}`)).body
    },
    (tx) => tx.state === 'CONFIRMED',
  )
  expect(final.hashes).toHaveLength(1)
})
