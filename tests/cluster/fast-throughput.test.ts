/** One lane under load with thousands in flight: every block is read, and no nonce is ever missing, doubled or out of order. */
import { afterEach, expect, test } from 'vitest'
import { type Cluster, readAll, readChain, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'

const INTENTS = 2_000
const FULL_BLOCK = 100

let cluster: Cluster

afterEach(async () => {
  await cluster?.stop()
})

function start(nodes: number, blockTimeSeconds = 1): Promise<Cluster> {
  return startCluster({
    nodes,
    lanes: 1,
    blockTimeSeconds,
    env: {
      DROVER_MAX_IN_FLIGHT: '2000',
      DROVER_RESUBMIT_INTERVAL: '3s',
      DROVER_BLOCK_TIME: '1s',
    },
  })
}

/** Posts from several callers at once; the ids grow as they are accepted. */
function post(ids: string[]): Promise<unknown> {
  let next = 0
  const from = cluster.signers[0]?.address
  const caller = async () => {
    while (next < INTENTS) {
      const requestId = `intent-${next++}`
      ids.push(await cluster.send({ from, to: from, value: '1', gasLimit: '21000', simulate: false, requestId }))
    }
  }
  return Promise.all(Array.from({ length: 24 }, caller))
}

async function untilFinal(): Promise<void> {
  await eventually(
    async () => (await readAll(cluster.anyNode(), '&state=QUEUED,ALLOCATED,TRACKING,STUCK')).length,
    (open) => open === 0,
    { timeoutMs: 300_000, everyMs: 500 },
  )
}

/** With a hundred in it at least: no block is made until then. */
async function loseMempool(): Promise<void> {
  await cluster.chain.setBlockInterval(0)
  await eventually(
    async () => Number((await cluster.chain.rpc<{ pending: string }>('txpool_status')).pending),
    (pending) => pending >= 100,
  )
  await cluster.chain.dropAllTransactions()
  await cluster.chain.setBlockInterval(1)
}

async function sizesOfBlocks(): Promise<readonly number[]> {
  const counts = new Map<number, number>()
  for (const { blockNumber } of await readChain(cluster.chain))
    counts.set(blockNumber, (counts.get(blockNumber) ?? 0) + 1)
  return [...counts.values()]
}

const countOf = async (tag: string) =>
  Number(await cluster.chain.rpc<string>('eth_getTransactionCount', [cluster.signers[0]?.address, tag]))

/** A block whenever there is enough for one, however long that takes: a lane that waits for blocks would never end. */
async function mineFull(): Promise<void> {
  for (let mined = 0; mined < INTENTS; mined = await countOf('latest')) {
    const wanted = Math.min(INTENTS, mined + FULL_BLOCK)
    await eventually(
      () => countOf('pending'),
      (count) => count >= wanted,
      { timeoutMs: 300_000 },
    )
    await cluster.chain.mine(1)
  }
}

test(`${INTENTS} intents of one lane: all mined, in full blocks of consecutive nonces`, async () => {
  cluster = await start(1, 0)
  const ids: string[] = []
  await Promise.all([post(ids), mineFull()])
  await cluster.chain.setBlockInterval(1)
  await untilFinal()
  await expectExactlyOnce(cluster.chain, await readAll(cluster.anyNode()), { accepted: ids })
  const sizes = await sizesOfBlocks()
  // One at a time would be one a block.
  expect(INTENTS / sizes.length).toBeGreaterThan(40)
  const refused = await cluster.anyNode().get('/metrics')
  expect(String(refused.body)).not.toMatch(/drover_broadcasts_total\{outcome="(replacement_)?underpriced"/)
})

test('the same, with the owner killed three times and the mempool lost', async () => {
  cluster = await start(2)
  const ids: string[] = []
  const posting = post(ids)
  for (const [kill, share] of [0.2, 0.5, 0.8].entries()) {
    await eventually(
      async () => ids.length,
      (count) => count >= INTENTS * share,
      { timeoutMs: 300_000 },
    )
    const owner = await cluster.busiest()
    await cluster.killNode(owner)
    await cluster.startNode(owner)
    if (kill === 1) await loseMempool()
  }
  await posting
  await untilFinal()
  await expectExactlyOnce(cluster.chain, await readAll(cluster.anyNode()), { accepted: ids })
})
