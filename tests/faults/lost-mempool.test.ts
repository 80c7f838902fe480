/** A node that lost its mempool has the whole sequence back after one interval, in batches and not one nonce at a time. */
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const INTENTS = 100
const INTERVAL_MS = 4_000

let node: SingleNode

afterEach(() => node.close())

const pendingCount = async () =>
  Number(await node.chain.rpc<string>('eth_getTransactionCount', [node.sender.address, 'pending']))

test(`${INTENTS} in flight on one lane, all dropped: back within one interval, all mined`, async () => {
  node = await startSingleNode({
    preset: 'fast',
    env: {
      DROVER_MAX_IN_FLIGHT: `${INTENTS}`,
      DROVER_RESUBMIT_INTERVAL: `${INTERVAL_MS}ms`,
    },
  })
  const ids = await node.sendTogether(INTENTS)
  await eventually(pendingCount, (count) => count === INTENTS)
  await node.chain.dropAllTransactions()
  expect(await pendingCount()).toBe(0)
  const requests = node.proxy.requests.length
  await eventually(pendingCount, (count) => count === INTENTS)
  // One interval brings them all: none is sent twice before each was sent once, and few requests carry them.
  const resends = node.proxy.requests.slice(requests).filter(([call]) => call?.method === SEND)
  const back = new Set<unknown>()
  const round = resends.filter((calls) => {
    if (back.size === INTENTS) return false
    const bytes = calls.map(({ params: [raw] }) => raw)
    expect(bytes.filter((raw) => back.has(raw))).toEqual([])
    for (const raw of bytes) back.add(raw)
    return true
  })
  expect(back.size).toBe(INTENTS)
  expect(round.length).toBeLessThanOrEqual(3)
  await node.mineUntil(ids, 'CONFIRMED')
  await expectUndisturbed(node)
})

test('stable: the transaction in flight is dropped repeatedly: each time the same bytes are resent', async () => {
  node = await startSingleNode({ preset: 'stable' })
  const id = await node.send()
  for (let round = 0; round < 3; round++) {
    await eventually(pendingCount, (count) => count === 1)
    await node.chain.dropAllTransactions()
  }
  await eventually(pendingCount, (count) => count === 1)
  await node.mineUntil([id], 'CONFIRMED')
  await expectUndisturbed(node)
})
