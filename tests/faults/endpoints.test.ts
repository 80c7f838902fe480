/** RPC endpoints that lag, lie about their height, or lead to another chain for a while. */
import { afterEach, beforeEach, expect } from 'vitest'
import { startTestChain, type TestChain } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { freezeView } from '../setup/rpc-limits.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { answer } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'

interface SeenEndpoint {
  readonly name: string
  readonly state: string
  readonly inUse: boolean
  readonly head: { readonly number: number } | null
  readonly lagBlocks: number | null
}

let node: SingleNode
let second: RpcProxy
let otherChain: TestChain

beforeEach(async () => {
  otherChain = await startTestChain({ chainId: 4711 })
  second = await startRpcProxy(otherChain.rpcUrl)
})

afterEach(async () => {
  await node.close()
  await second.stop()
  await otherChain.stop()
})

async function startWithTwo(): Promise<void> {
  node = await startSingleNode({
    preset: 'fast',
    rpcUrl: (proxyUrl) => {
      // The chain's own URL is only known once it runs: the proxy that was started with it stands for it.
      second.setUpstream(proxyUrl)
      return `${proxyUrl},${second.url}`
    },
  })
  second.setUpstream(node.chain.rpcUrl)
}

const endpoints = async (): Promise<readonly SeenEndpoint[]> =>
  (await node.drover().get('/v1/chains')).body.items[0].endpoints
const states = async () => (await endpoints()).map(({ state }) => state)
const confirmOne = async () => await node.mineUntil([await node.send()], 'CONFIRMED')

scenario('the first of two RPC nodes stops syncing: reads avoid it until it catches up', async () => {
  await startWithTwo()
  await confirmOne()
  const thaw = await freezeView(node.proxy, node.chain)
  await node.chain.mine(6)
  await eventually(states, ([first, other]) => first === 'lagging' && other === 'healthy')
  expect(await endpoints()).toMatchObject([{ inUse: false }, { inUse: true, lagBlocks: 0 }])
  await confirmOne()
  expect(await node.isReady()).toBe(true)
  expect(await node.metric('drover_rpc_endpoint_lag_blocks')).toBeGreaterThan(5)
  // It is still given what is sent.
  await eventually(
    async () => node.proxy.count(SEND) - second.count(SEND),
    (ahead) => ahead === 0,
  )
  thaw()
  await eventually(states, ([first, other]) => first === 'healthy' && other === 'healthy')
  await confirmOne()
  await expectUndisturbed(node)
})

scenario(
  'one of two RPC nodes claims a head that does not exist: it is avoided, and the honest one does not count as lagging',
  async () => {
    await startWithTwo()
    await confirmOne()
    node.proxy.on('eth_blockNumber', answer('0x3b9aca00'))
    await eventually(states, ([first, other]) => first === 'implausible' && other === 'healthy')
    await confirmOne()
    expect(await node.isReady()).toBe(true)
    expect(await endpoints()).toMatchObject([{ inUse: false }, { inUse: true, lagBlocks: 0 }])
    await expectUndisturbed(node)
  },
)

scenario(
  'the only RPC node switches to another chain during sends: no intent ends, and the node is barred',
  async () => {
    node = await startSingleNode({ preset: 'fast' })
    await confirmOne()
    await otherChain.mine(20)
    // The very bytes of the first one go to the other chain: everything before that was read from the right one.
    node.proxy.next(SEND, () => {
      node.proxy.setUpstream(otherChain.rpcUrl)
      return undefined
    })
    const ids = [await node.send()]
    await eventually(states, ([state]) => state === 'wrong_chain')
    for (let index = 0; index < 4; index++) ids.push(await node.send())
    expect(await node.metric('drover_rpc_wrong_chain_total')).toBeGreaterThan(0)
    expect(node.drover().output()).toContain('serves chain 4711, not 31337')
    node.proxy.setUpstream(node.chain.rpcUrl)
    await eventually(states, ([state]) => state === 'healthy')
    await node.mineUntil(ids, 'CONFIRMED')
    expect(await node.metric('drover_reorgs_total')).toBe(0)
    expect(await node.metric('drover_gaps_total')).toBe(0)
    await expectUndisturbed(node)
  },
)

scenario('one of two RPC nodes keeps switching to another chain: none of its answers is used', async (remark) => {
  await startWithTwo()
  await confirmOne()
  await otherChain.mine(50)
  const ids: string[] = []
  for (let round = 0; round < 3; round++) {
    node.proxy.setUpstream(otherChain.rpcUrl)
    for (let index = 0; index < 3; index++) ids.push(await node.send())
    await eventually(states, ([state]) => state === 'wrong_chain')
    node.proxy.setUpstream(node.chain.rpcUrl)
    await node.mineUntil(ids, 'CONFIRMED')
    await eventually(states, ([state]) => state === 'healthy')
  }
  expect(await node.metric('drover_reorgs_total')).toBe(0)
  expect(await node.metric('drover_gaps_total')).toBe(0)
  remark(`barred ${await node.metric('drover_rpc_wrong_chain_total')} times`)
  await expectUndisturbed(node)
})
