import { expect, test } from 'vitest'
import type { ChainView } from '../../core/chain/finality.ts'
import { inclusionOf } from '../../core/transaction/transaction.ts'
import type { Chain } from '../../ports/chain.ts'
import { createTestCluster, type TestCluster } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { ChainUpdate } from './block-follower.ts'
import { createFinalReorgWatch, type FinalReorg } from './final-reorg.ts'

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

test('one that the new branch holds as well is not gone', async () => {
  const cluster = await createTestCluster()
  await cluster.startNode()
  await confirmOne(cluster)
  cluster.chain.reorg(4, { length: 5, keep: 'included' })
  await cluster.clock.advance(1_000)
  expect((await brokenEvents(cluster)).map(({ detail }) => detail)).toMatchObject([{ gone: 0, moved: 1 }])
})

test('one that another node called final and another block includes now is told, although this node was behind', async () => {
  const cluster = await createTestCluster()
  const ahead = await cluster.startNode()
  const id = await confirmOne(cluster)
  const [tx] = await cluster.store.findTransactions([id])
  if (tx === undefined) throw new Error('not stored')
  await ahead.kill()
  const reorgs: FinalReorg[] = []
  const { store, chain } = cluster
  const finality = { type: 'confirmations', count: 3 } as const
  const watch = createFinalReorgWatch({
    chain: {
      chainId: chain.chainId,
      findReceipts: async () => [{ type: 'found' } as FoundReceipt],
      getBlocks: async () => [],
    },
    store,
    telemetry: createRecordingTelemetry(),
    finality,
    onFinalReorg: (reorg) => void reorgs.push(reorg),
  })
  const header = (number: number) => ({ number, hash: `0x${'9'.repeat(64)}`, parentHash: '0x', timestamp: 0 }) as const
  const at = inclusionOf(tx)?.blockNumber ?? 0
  watch.take({ view: { ...LOW, head: header(at - 1), header }, forkFrom: null, added: [], gap: false })
  watch.take({ view: { ...LOW, head: header(at + 4), header }, forkFrom: at - 1, added: [], gap: false })
  await cluster.clock.settle()
  expect(reorgs).toMatchObject([{ finalBlock: null, gone: [], moved: [{ txId: id }] }])
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
  const cluster = await createTestCluster()
  const ahead = await cluster.startNode()
  const id = await confirmOne(cluster)
  const [tx] = await cluster.store.findTransactions([id])
  await ahead.kill()
  const reorgs: FinalReorg[] = []
  const watch = createFinalReorgWatch({
    chain: {
      chainId: cluster.chain.chainId,
      findReceipts: async () => [{ type: 'missing' } as unknown as FoundReceipt],
      getBlocks: async () => [],
    },
    store: cluster.store,
    telemetry: createRecordingTelemetry(),
    finality: { type: 'confirmations', count: 3 },
    onFinalReorg: (reorg) => void reorgs.push(reorg),
  })
  const headerOf = (number: number) =>
    ({ number, hash: `0x${'9'.repeat(64)}`, parentHash: '0x', timestamp: 0 }) as const
  const at = (tx && inclusionOf(tx)?.blockNumber) ?? 0
  const take = async (head: number): Promise<void> => {
    const header = (number: number) => (number <= head ? headerOf(number) : null)
    watch.take({ view: { ...LOW, head: headerOf(head), header }, forkFrom: null, added: [], gap: false })
    await cluster.clock.settle()
  }
  watch.start(null)
  await take(at - 1)
  expect(reorgs).toEqual([])
  await take(at)
  await take(at + 1)
  expect(reorgs).toMatchObject([{ fromBlock: at, finalBlock: null, gone: [{ txId: id }], moved: [] }])
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
