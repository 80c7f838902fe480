/** Several RPC URLs: one dies, one is of another chain, one comes back as somebody else. The service goes on. */
import { keccak256 } from 'viem'
import { afterEach, beforeEach, expect } from 'vitest'
import { startTestChain, type TestChain } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { answer, httpStatus } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'

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

const start = async () => {
  node = await startSingleNode({ preset: 'fast', rpcUrl: (proxyUrl) => `${proxyUrl},${second.url}` })
}
const confirmOne = async () => await node.mineUntil([await node.send()], 'CONFIRMED')

scenario('a second RPC node on another chain from the start: never used, and nothing is sent to it', async () => {
  await start()
  for (let round = 0; round < 3; round++) await confirmOne()
  expect(second.count(SEND)).toBe(0)
  expect(node.drover().output()).toContain('the RPC node serves chain 4711')
  await expectUndisturbed(node)
})

scenario('the first RPC node fails and recovers, then the second: calls go to the one that works', async () => {
  await start()
  second.setUpstream(node.chain.rpcUrl)
  await confirmOne()
  node.proxy.setDown(true)
  await confirmOne()
  expect(await node.isReady()).toBe(true)
  node.proxy.setDown(false)
  await confirmOne()
  second.setDown(true)
  await confirmOne()
  expect(await node.isReady()).toBe(true)
  await expectUndisturbed(node)
})

scenario('one comes back on another chain while the other is down: Drover waits, and sends nothing there', async () => {
  await start()
  second.setUpstream(node.chain.rpcUrl)
  await confirmOne()
  node.proxy.setDown(true)
  second.setDown(true)
  await eventually(node.isReady, (ready) => !ready)
  const id = await node.send()
  const sent = second.count(SEND)
  second.setUpstream(otherChain.rpcUrl)
  second.setDown(false)
  await second.awaitCalls('eth_chainId', second.count('eth_chainId') + 1)
  expect(await node.isReady()).toBe(false)
  expect(await node.read(id)).toMatchObject({ state: 'QUEUED', nonce: null })
  expect(second.count(SEND)).toBe(sent)
  node.proxy.setDown(false)
  await node.mineUntil([id], 'CONFIRMED')
  await confirmOne()
  await expectUndisturbed(node)
})

scenario('one accepts and drops, the other fails for a while: resent until mined', async () => {
  await start()
  second.setUpstream(node.chain.rpcUrl)
  await confirmOne()
  second.on(SEND, ({ params }) => answer(keccak256(params[0] as `0x${string}`)))
  const heal = node.proxy.on(SEND, httpStatus(500))
  const id = await node.send()
  await node.until(id, ({ state }) => state === 'TRACKING')
  await node.chain.mine(3)
  expect(await node.read(id)).toMatchObject({ state: 'TRACKING', inclusion: null })
  heal()
  await node.mineUntil([id], 'CONFIRMED')
  await expectUndisturbed(node)
})

scenario('a URL with weight 0: transactions are sent there too, blocks and receipts are read elsewhere', async () => {
  node = await startSingleNode({
    preset: 'fast',
    rpcUrl: (proxyUrl, chainUrl) => {
      second.setUpstream(chainUrl)
      return `${proxyUrl},${second.url}`
    },
    env: { DROVER_RPC_WEIGHTS: '0,1' },
  })
  await eventually(
    async () => (await node.drover().get('/v1/chains')).body.items[0].endpoints[1].inUse,
    (isUsed) => isUsed === true,
  )
  const reads = ['eth_getBlockByHash', 'eth_getTransactionReceipt', 'eth_getBlockReceipts', 'eth_estimateGas']
  const countReads = (proxy: RpcProxy) => reads.reduce((sum, method) => sum + proxy.count(method), 0)
  const [before, sent] = [countReads(node.proxy), node.proxy.count(SEND)]
  const readElsewhere = countReads(second)
  await confirmOne()
  expect(node.proxy.count(SEND)).toBeGreaterThan(sent)
  expect(second.count(SEND)).toBeGreaterThan(0)
  expect(countReads(node.proxy)).toBe(before)
  expect(countReads(second)).toBeGreaterThan(readElsewhere)
  // It fails: now the reserve is read.
  second.setDown(true)
  await confirmOne()
  expect(countReads(node.proxy)).toBeGreaterThan(before)
  await expectUndisturbed(node)
})
