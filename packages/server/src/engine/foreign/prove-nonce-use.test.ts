/** What is final by a tag is so on a node, too, that follows no transaction with such a rule and so reads no tags. */
import { expect, test } from 'vitest'
import type { Finality } from '../../core/chain/finality.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'
import { proveNonceUse } from './prove-nonce-use.ts'

async function setUp(blocks: number) {
  const cluster = await createTestCluster()
  const { engine } = await cluster.startNode()
  await cluster.sendForeign(0)
  await cluster.mine(blocks)
  const view = engine.followStatus()[0]?.view ?? null
  if (view === null) throw new Error('no block was followed')
  expect([view.safe, view.finalized]).toEqual([null, null])
  const { chain, lane } = cluster
  return async (finality: Finality) =>
    (await proveNonceUse(chain, { address: lane.signer, nonce: 0, hashes: [], view, finality })).type
}

test.each(['safe', 'finalized'] as const)('%s: the tag is read if the view has none', async (type) => {
  expect(await (await setUp(120))({ type })).toBe('foreign')
  expect(await (await setUp(1))({ type })).toBe('waiting')
})
