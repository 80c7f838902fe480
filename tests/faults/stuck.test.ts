/** No block takes it for too long: STUCK, said aloud, and on its way again by itself when a block does. */
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

let node: SingleNode

afterEach(() => node.close())

const explain = async (id: string) => (await node.drover().get(`/v1/transactions/${id}/explain`)).body

test('stable: STUCK after stuckAfter, the next stays queued; mined late, both are CONFIRMED', async () => {
  node = await startSingleNode({ preset: 'stable', env: { DROVER_STUCK_AFTER: '2s' } })
  const [first, second] = [await node.send(), await node.send()]
  await node.until(first, ({ state }) => state === 'STUCK')
  expect(await node.read(first)).toMatchObject({ subState: 'no_inclusion', error: { code: 'no_inclusion' }, nonce: 0 })
  await eventually(
    () => node.metric('drover_alarms_total', 'cause="no_inclusion"'),
    (alarms) => alarms === 1,
  )
  expect(await explain(first)).toMatchObject({ cause: 'no_inclusion' })
  expect(await node.read(second)).toMatchObject({ state: 'QUEUED', nonce: null })
  expect(await explain(second)).toMatchObject({ blockedBy: { transactionId: first } })
  const sends = node.proxy.count('eth_sendRawTransaction')
  await node.proxy.awaitCalls('eth_sendRawTransaction', sends + 2)
  expect(await node.read(first)).toMatchObject({ state: 'STUCK' })
  await node.mineUntil([first, second], 'CONFIRMED')
  await expectUndisturbed(node, { mayHaveBeenStuck: true })
})

test('fast: only the lowest nonce is STUCK, those above are blocked by it; all are mined late', async () => {
  node = await startSingleNode({ preset: 'fast', env: { DROVER_STUCK_AFTER: '2s' } })
  const ids = await node.sendTogether(4)
  const [first = '', ...others] = ids
  await node.until(first, ({ state }) => state === 'STUCK')
  for (const id of others) {
    await node.until(id, ({ subState }) => subState === 'blocked_by_predecessor')
    expect(await node.read(id)).toMatchObject({ state: 'TRACKING' })
    expect(await explain(id)).toMatchObject({ cause: 'blocked_by_predecessor', blockedBy: { transactionId: first } })
  }
  await node.mineUntil(ids, 'CONFIRMED')
  await expectUndisturbed(node, { mayHaveBeenStuck: true })
})

test('stable: still STUCK after a restart, and lost from the pool: resent and mined', async () => {
  node = await startSingleNode({ preset: 'stable', env: { DROVER_STUCK_AFTER: '1s' } })
  const id = await node.send()
  await node.until(id, ({ state }) => state === 'STUCK')
  await node.stopService('SIGKILL')
  await node.chain.dropAllTransactions()
  await node.start()
  expect(await node.read(id)).toMatchObject({ state: 'STUCK', nonce: 0 })
  await node.mineUntil([id], 'CONFIRMED')
  await expectUndisturbed(node, { mayHaveBeenStuck: true })
})
