import { expect, test } from 'vitest'
import type { ChainView } from '../../core/chain/finality.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { inclusionOf } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { ChainUpdate } from './block-follower.ts'
import { createFinalReorgWatch, type FinalReorg, noteFinalReorg } from './final-reorg.ts'

type FoundReceipt = Awaited<ReturnType<Chain['findReceipts']>>[number]

const LOW = { safe: null, finalized: null }

async function confirmOne(cluster: TestCluster): Promise<string> {
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  await cluster.mine(4)
  expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
  return id
}

async function brokenEvents(cluster: TestCluster) {
  return (await cluster.store.readEvents(0, 1_000)).filter(({ type }) => type === 'finality.broken')
}

/** A watch beside a chain on which every block has been replaced since one transaction became final. */
async function watchAfter(
  receipt: 'found' | 'missing' | (() => 'failed' | 'found'),
  getBlocks: Chain['getBlocks'] = async () => [],
) {
  const cluster = await createTestCluster()
  const ahead = await cluster.startNode()
  const id = await confirmOne(cluster)
  const [tx] = await cluster.store.findTransactions([id])
  const at = tx && inclusionOf(tx)?.blockNumber
  if (at === undefined) throw new Error('not mined')
  await ahead.kill()
  const reorgs: FinalReorg[] = []
  const watch = createFinalReorgWatch({
    chain: {
      chainId: cluster.chain.chainId,
      findReceipts: async () => [{ type: typeof receipt === 'string' ? receipt : receipt() } as FoundReceipt],
      getBlocks,
    },
    store: cluster.store,
    telemetry: createRecordingTelemetry(),
    finality: { type: 'confirmations', count: 3 },
    onFinalReorg: (reorg) => void reorgs.push(reorg),
  })
  return {
    id,
    at,
    reorgs,
    watch,
    /** `from`: the lowest block of the window. */
    take: async (head: number, { forkFrom = null, from = 0 }: { forkFrom?: number | null; from?: number } = {}) => {
      const header = (number: number) => (number <= head && number >= from ? replacedAt(number) : null)
      watch.take({ view: { ...LOW, head: replacedAt(head), header }, forkFrom, added: [], gap: false })
      await cluster.clock.settle()
    },
  }
}

function replacedAt(number: number) {
  return { number, hash: `0x${'9'.repeat(64)}`, parentHash: '0x', timestamp: 0 } as const
}

test('a confirmed transaction that leaves the chain stays confirmed, and is named in log, event and metric [G6]', async () => {
  const cluster = await createTestCluster()
  const { telemetry } = await cluster.startNode()
  const kept = await confirmOne(cluster)
  const lost = await confirmOne(cluster)
  cluster.chain.reorg(5, { length: 6 })
  await cluster.clock.advance(1_000)
  expect(telemetry.valueOf('drover_final_reorgs_total', { chainId: 31_337 })).toBe(1)
  const [error] = telemetry.logs.filter(({ level }) => level === 'error')
  expect(error?.fields).toMatchObject({ transactions: [lost] })
  const [event, ...more] = await brokenEvents(cluster)
  expect(more).toEqual([])
  expect(event).toMatchObject({ cause: 'reorg', txId: null, detail: { transactions: [lost], nonces: [1], gone: 1 } })
  for (const id of [kept, lost]) expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED' })
})

test('what is gone is named in the order of its nonces', () => {
  const lane: Lane = { chainId: 1, signer: `0x${'11'.repeat(20)}` }
  const gone = [2, 0, 1].map((nonce) => ({ txId: `tx ${nonce}`, lane, nonce }))
  expect(noteFinalReorg({ fromBlock: 3, finalBlock: 9, gone, moved: [] }, lane)?.detail).toMatchObject({
    transactions: ['tx 0', 'tx 1', 'tx 2'],
    nonces: [0, 1, 2],
  })
})

test('one that the new branch holds as well is not gone', async () => {
  const cluster = await createTestCluster()
  await cluster.startNode()
  await confirmOne(cluster)
  cluster.chain.reorg(4, { length: 5, keep: 'included' })
  await cluster.clock.advance(1_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail)).toMatchObject([{ gone: 0, moved: 1 }])
})

test('one that another node called final and another block includes now is told, although this node was behind', async () => {
  const { id, at, reorgs, take } = await watchAfter('found')
  await take(at - 1)
  await take(at + 4, { forkFrom: at - 1 })
  expect(reorgs).toMatchObject([{ finalBlock: null, gone: [], moved: [{ txId: id }] }])
})

test('a receipt that could not be read does not count as gone: the next block looks again', async () => {
  const lookups = ['failed' as const, 'found' as const]
  const { id, at, reorgs, take } = await watchAfter(() => lookups.shift() ?? 'found')
  await take(at - 1)
  await take(at + 4, { forkFrom: at - 1 })
  expect(reorgs).toEqual([])
  await take(at + 5)
  expect(reorgs).toMatchObject([{ gone: [], moved: [{ txId: id }] }])
})

test('the next owner tells it, if the one before died with the reorg', async () => {
  const cluster = await createTestCluster()
  const first = await cluster.startNode()
  const lost = await confirmOne(cluster)
  await cluster.startNode()
  await first.kill()
  cluster.chain.reorg(5, { length: 6 })
  await cluster.clock.advance(60_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail.transactions)).toEqual([[lost]])
})

test('a database that is away does not keep it from being told', async () => {
  const cluster = await createTestCluster()
  const node = await cluster.startNode()
  const lost = await confirmOne(cluster)
  node.store.setFault((call) => (call === 'findLastEventId' ? 'unavailable' : null))
  cluster.chain.reorg(5, { length: 6 })
  await cluster.clock.advance(1_000)
  node.store.setFault(null)
  await cluster.mine(1)
  await cluster.clock.advance(1_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail.transactions)).toEqual([[lost]])
})

test('a node that starts after the reorg, and could not read what the one before had seen, tells it once', async () => {
  const cluster = await createTestCluster()
  const first = await cluster.startNode()
  const lost = await confirmOne(cluster)
  await first.kill()
  cluster.chain.reorg(5, { length: 6 })
  await cluster.store.saveHeaders(cluster.chain.chainId, [], Number.MAX_SAFE_INTEGER)
  const second = await cluster.startNode()
  await cluster.clock.advance(60_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail.transactions)).toEqual([[lost]])
  await second.kill()
  await cluster.startNode()
  await cluster.mine(1)
  await cluster.clock.advance(60_000)
  expect(await brokenEvents(cluster)).toHaveLength(1)
})

test('so does one that starts long after it, when that block is below what it reads at first', async () => {
  const cluster = await createTestCluster()
  const first = await cluster.startNode()
  const lost = await confirmOne(cluster)
  await first.kill()
  cluster.chain.reorg(5, { length: 6 })
  await cluster.store.saveHeaders(cluster.chain.chainId, [], Number.MAX_SAFE_INTEGER)
  for (let block = 0; block < 200; block++) cluster.chain.mine()
  await cluster.startNode()
  await cluster.clock.advance(60_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail.transactions)).toEqual([[lost]])
})

test('blocks above the head of a node that starts are judged once it reaches them', async () => {
  const { id, at, reorgs, watch, take } = await watchAfter('missing')
  watch.start(null)
  await take(at - 1)
  expect(reorgs).toEqual([])
  await take(at)
  await take(at + 1)
  expect(reorgs).toMatchObject([{ fromBlock: at, finalBlock: null, gone: [{ txId: id }], moved: [] }])
})

test('blocks below the window that cannot be read are asked for again, a few times', async () => {
  const answers = [[], [], ['read']]
  let asked = 0
  const { id, at, reorgs, watch, take } = await watchAfter('missing', async (heights) => {
    asked += 1
    return (answers.shift() ?? []).length === 0
      ? []
      : heights.map((number) => ({ ...replacedAt(number), txHashes: [] }))
  })
  watch.start(null)
  for (let block = 1; block < 6; block++) await take(at + 50 + block, { from: at + 40 })
  expect(asked).toBe(3)
  expect(reorgs).toMatchObject([{ fromBlock: at, gone: [{ txId: id }] }])
})

test('a node that never has the blocks below the window is not asked for ever', async () => {
  let asked = 0
  const { at, reorgs, watch, take } = await watchAfter('missing', async () => {
    asked += 1
    return []
  })
  watch.start(null)
  for (let block = 1; block < 30; block++) await take(at + 50 + block, { from: at + 40 })
  expect(asked).toBe(11)
  expect(reorgs).toEqual([])
})

test('a reorg of blocks that were not final is not reported', async () => {
  const cluster = await createTestCluster()
  const { telemetry } = await cluster.startNode()
  await confirmOne(cluster)
  cluster.chain.reorg(2)
  await cluster.clock.advance(1_000)
  expect(await brokenEvents(cluster)).toEqual([])
  expect(telemetry.valueOf('drover_final_reorgs_total', { chainId: 31_337 })).toBe(0)
})

test.each([
  ['a number of confirmations: counted from what an earlier run knew', { type: 'confirmations', count: 3 }],
  ['a tag: counted from what the chain says since', { type: 'finalized' }],
] as const)('after a restart, by %s', async (_, finality) => {
  const reorgs: FinalReorg[] = []
  const watch = createFinalReorgWatch({
    chain: { chainId: 1, findReceipts: async () => [], getBlocks: async () => [] },
    store: { findLastEventId: async () => 0, readCompletions: async () => [], findTransactions: async () => [] },
    telemetry: createRecordingTelemetry(),
    finality,
    onFinalReorg: (reorg: FinalReorg) => reorgs.push(reorg),
  })
  const viewAt = (head: number, finalized: number): ChainView => ({
    head: { number: head, hash: '0x', parentHash: '0x', timestamp: 0 },
    safe: null,
    finalized,
    header: () => null,
  })
  const take = (view: ChainView, forkFrom: number | null) =>
    watch.take({ view, forkFrom, blocks: [], gap: false } as unknown as ChainUpdate)
  watch.start(100)
  take(viewAt(101, 97), null)
  take(viewAt(102, 97), 95)
  await new Promise((resolve) => setImmediate(resolve))
  expect(reorgs).toHaveLength(1)
})
