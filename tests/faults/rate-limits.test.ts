/** RPC endpoints that answer 429: everything goes on, at the pace that they allow. */
import { afterEach, expect } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { limitCalls, limitEachCall, refuseShare } from '../setup/rpc-limits.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { httpStatus } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

let node: SingleNode
let second: RpcProxy | null = null

afterEach(async () => {
  await node.close()
  await second?.stop()
  second = null
})

const endpoints = async () => (await node.drover().get('/v1/chains')).body.items[0].endpoints
/** A block every second, whatever the service does. */
async function confirmAll(ids: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await node.chain.setBlockInterval(1)
  const open = async () => (await node.drover().get('/v1/transactions?state=QUEUED,ALLOCATED,TRACKING&limit=1')).body
  await eventually(open, ({ items }) => items.length === 0, { everyMs: 200, timeoutMs: 280_000 })
  for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'CONFIRMED' })
  return Math.round((performance.now() - startedAt) / 1000)
}

scenario('30 % of all requests are answered 429: everything is confirmed', async (remark) => {
  node = await startSingleNode({ preset: 'fast', env: { DROVER_MAX_IN_FLIGHT: '30' } })
  const ids = await node.sendTogether(10, () => void refuseShare(node.proxy, 0.3))
  remark(`10 intents in ${await confirmAll(ids)} s`)
  // Several refusals in a row may be reported for a moment.
  await eventually(node.isReady, (isReady) => isReady)
  await expectUndisturbed(node)
})

scenario('20 calls a second allowed, 30 intents at once: steady progress', async (remark) => {
  node = await startSingleNode({ preset: 'fast', env: { DROVER_MAX_IN_FLIGHT: '30' } })
  const limit = limitCalls(node.proxy, 20)
  limit.suspend(true)
  const ids = await node.sendTogether(30, () => limit.suspend(false))
  // Found out while there is something to send; it is tried now and then whether more is allowed by now.
  await eventually(endpoints, ([{ callsPerSecond }]) => callsPerSecond !== null && callsPerSecond < 2 * 20)
  const seconds = await confirmAll(ids)
  remark(`30 intents in ${seconds} s; ${limit.allowed} calls answered, ${limit.refused} refused`)
  expect(limit.refused).toBeLessThan(limit.allowed)
  await expectUndisturbed(node)
})

scenario(
  '20 calls a second allowed, calls of a batch refused one by one: the answers received are used',
  async (remark) => {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_MAX_IN_FLIGHT: '30' } })
    const limit = limitEachCall(node.proxy, 20)
    limit.suspend(true)
    const ids = await node.sendTogether(30, () => limit.suspend(false))
    remark(`30 intents in ${await confirmAll(ids)} s; ${limit.allowed} calls answered, ${limit.refused} refused`)
    await expectUndisturbed(node)
  },
)

scenario('the only RPC node sends Retry-After of a day: paused for a while, then probed', async () => {
  node = await startSingleNode({ preset: 'fast', env: { DROVER_RPC_MAX_PAUSE: '2s' } })
  const [id] = await node.sendTogether(1, () => {
    node.proxy.onRequest(() => httpStatus(429, { headers: { 'retry-after': '86400' } }))
  })
  await eventually(endpoints, ([{ state }]) => state === 'rate_limited')
  const refused = node.proxy.requestCount
  await eventually(
    async () => node.proxy.requestCount,
    (count) => count > refused,
  )
  node.proxy.reset()
  await node.mineUntil([id ?? ''], 'CONFIRMED')
  await expectUndisturbed(node)
})

scenario('one of two RPC nodes allows 5 calls a second: refused calls go to the other at once', async (remark) => {
  const other = await startRpcProxy('http://127.0.0.1:1')
  second = other
  node = await startSingleNode({
    preset: 'fast',
    rpcUrl: (proxyUrl) => {
      other.setUpstream(proxyUrl)
      return `${proxyUrl},${other.url}`
    },
    env: { DROVER_MAX_IN_FLIGHT: '30' },
  })
  other.setUpstream(node.chain.rpcUrl)
  limitCalls(node.proxy, 5)
  const ids = await node.sendTogether(30)
  remark(`30 intents in ${await confirmAll(ids)} s`)
  expect(await node.isReady()).toBe(true)
  await expectUndisturbed(node)
})
