/** A whole cluster on poor RPC: each node has one endpoint that lags and one that allows 20 calls a second. */
import { afterEach, expect } from 'vitest'
import type { TestChain } from '../setup/anvil.ts'
import { type Cluster, readAll, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { delayView, type LimitedNode, limitCalls } from '../setup/rpc-limits.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { scenario } from './scenario.ts'

/** In the suite a short run; `DROVER_POOR_INTENTS=2000` makes it a long one. */
const INTENTS = Number(process.env.DROVER_POOR_INTENTS ?? 200)
const LANES = 6
const NODES = 3
const CLIENTS = 20
const LAG_BLOCKS = 4
const CALLS_PER_SECOND = 20

let cluster: Cluster | null = null
const proxies: RpcProxy[] = []
const limits: LimitedNode[] = []

afterEach(async () => {
  await cluster?.stop()
  cluster = null
  for (const proxy of proxies.splice(0)) await proxy.stop()
  limits.length = 0
})

async function openPoorEndpoints(chain: TestChain): Promise<string> {
  const [lagging, limited] = [await startRpcProxy(chain.rpcUrl), await startRpcProxy(chain.rpcUrl)]
  proxies.push(lagging, limited)
  delayView(lagging, chain, LAG_BLOCKS)
  limits.push(limitCalls(limited, CALLS_PER_SECOND))
  return `${lagging.url},${limited.url}`
}

/** Every request must be accepted at the first try: a caller never sees what the endpoints do. */
async function sendAll({ nodes, signers }: Cluster): Promise<string[]> {
  const ids: string[] = []
  let next = 0
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let index = next++; index < INTENTS; index = next++) {
      const answer = await nodes[index % NODES]?.post('/v1/transactions', {
        from: signers[index % LANES]?.address,
        to: signers[(index + 1) % LANES]?.address,
        value: '1',
        requestId: `poor-${index}`,
      })
      expect(answer).toMatchObject({ status: 202 })
      ids.push(answer?.body.id)
    }
  })
  await Promise.all(clients)
  return ids
}

async function timeRun(rpcUrlFor?: (chain: TestChain) => Promise<string>): Promise<number> {
  cluster = await startCluster({ nodes: NODES, lanes: LANES, ...(rpcUrlFor && { rpcUrlFor }) })
  const running = cluster
  const startedAt = performance.now()
  const ids = await sendAll(running)
  const countConfirmed = async () => (await readAll(running.anyNode(), '&state=CONFIRMED')).length
  await eventually(countConfirmed, (count) => count === INTENTS, { timeoutMs: 900_000, everyMs: 500 })
  const seconds = (performance.now() - startedAt) / 1_000
  await expectExactlyOnce(running.chain, await readAll(running.anyNode()), { accepted: ids })
  await running.stop()
  cluster = null
  return seconds
}

scenario(
  `three nodes, each with one lagging endpoint and one limited to ${CALLS_PER_SECOND} calls a second: ${INTENTS} intents`,
  async (remark) => {
    const healthy = await timeRun()
    const poor = await timeRun(openPoorEndpoints)
    const refused = limits.reduce((sum, limit) => sum + limit.refused, 0)
    remark(`${poor.toFixed(0)} s, ${healthy.toFixed(0)} s with healthy endpoints; ${refused} calls were refused`)
    expect(refused).toBeGreaterThan(0)
  },
  { timeoutMs: 1_800_000 },
)
