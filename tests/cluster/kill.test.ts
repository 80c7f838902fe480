/** Nodes die under load: nothing is lost, nothing doubled. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, readAll, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'

const LANES = 20
const INTENTS = 2_000
const KILLS = 5

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, lanes: LANES })
})

afterAll(async () => {
  await cluster?.stop()
})

test(`three nodes, ${LANES} lanes, ${INTENTS} intents at random nodes, the busiest killed ${KILLS} times [G1] [G3]`, async () => {
  let next = 0
  const ids: string[] = []
  const post = async () => {
    while (next < INTENTS) {
      const index = next++
      const from = cluster.signers[index % LANES]?.address
      ids.push(await cluster.send({ from, to: cluster.signers[0]?.address, value: '1', requestId: `intent-${index}` }))
    }
  }
  const posting = Promise.all(Array.from({ length: 16 }, post))
  for (let kill = 1; kill <= KILLS; kill++) {
    // Spread over the whole load: each kill waits for its share of the intents to have been accepted.
    await eventually(
      async () => ids.length,
      (count) => count >= (INTENTS / (KILLS + 1)) * kill || count === INTENTS,
      { timeoutMs: 300_000 },
    )
    const busiest = await cluster.busiest()
    await cluster.killNode(busiest)
    await cluster.startNode(busiest)
  }
  await posting
  await eventually(
    async () => (await readAll(cluster.anyNode(), '&state=QUEUED,ALLOCATED,TRACKING,STUCK')).length,
    (open) => open === 0,
    { timeoutMs: 300_000, everyMs: 500 },
  )
  expect(ids.length).toBe(INTENTS)
  await expectExactlyOnce(cluster.chain, await readAll(cluster.anyNode()), { accepted: ids })
})
