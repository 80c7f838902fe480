import { expect, onTestFinished, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../../../../../tests/setup/anvil.ts'
import { type RpcProxy, startRpcProxy } from '../../../../../tests/setup/rpc-proxy.ts'
import { answer, rpcError } from '../../../../../tests/setup/rpc-reactions.ts'
import { createSystemClock } from '../../app/system-clock.ts'
import { toAddress } from '../../core/hex.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import type { SignedTransaction } from '../../ports/signer.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { createEvmChain, type EvmChain } from '../evm-chain.ts'

const SEND = 'eth_sendRawTransaction'
const silent: Telemetry = { count() {}, gauge() {}, observe() {}, log() {} }
const [alice, bob] = [developmentAccount(0), developmentAccount(1)]
const [ALICE, BOB] = [toAddress(alice.address), toAddress(bob.address)]
const signer = createLocalSigner([alice.privateKey, bob.privateKey])

interface Bench {
  readonly chain: EvmChain
  readonly node: TestChain
  readonly readers: RpcProxy
  readonly relay: RpcProxy
}

/** Alice sends to the relay only. */
async function open(): Promise<Bench> {
  const node = await startTestChain()
  const [readers, relay] = [await startRpcProxy(node.rpcUrl), await startRpcProxy(node.rpcUrl)]
  const chain = createEvmChain({
    chainId: 31337,
    urls: [readers.url],
    sendUrls: { all: [], bySigner: new Map([[ALICE, [relay.url]]]) },
    clock: createSystemClock(),
    telemetry: silent,
  })
  onTestFinished(async () => {
    await chain.close()
    await Promise.all([readers.stop(), relay.stop()])
    await node.stop()
  })
  return { chain, node, readers, relay }
}

async function sign(from: typeof ALICE, nonce: number): Promise<SignedTransaction> {
  const fees = { type: 'eip1559', maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const
  return await signer.sign(from, { chainId: 31337, nonce, to: BOB, value: 1n, data: '0x', gasLimit: 21_000n, fees })
}

test('one batch of two signers is split by route, and answered in order', async () => {
  const { chain, readers, relay } = await open()
  const [first, second, third] = [await sign(ALICE, 0), await sign(BOB, 0), await sign(ALICE, 1)]
  // With and without the name of the signer: the bytes themselves decide.
  const outcomes = await chain.broadcast([{ ...first, from: ALICE }, second, third, second])
  expect(outcomes.map(({ type }) => type)).toEqual(['accepted', 'accepted', 'accepted', 'already_known'])
  const sentTo = (proxy: RpcProxy) => proxy.calls.flatMap(({ method, params }) => (method === SEND ? params : []))
  expect(sentTo(relay)).toEqual([first.raw, third.raw])
  expect(sentTo(readers)).toEqual([second.raw, second.raw])
})

test('bytes that are passed on for others take the route of whoever signed them', async () => {
  const { chain, readers, relay } = await open()
  const { raw, hash } = await sign(ALICE, 0)
  expect(await chain.forward([{ method: SEND, params: [raw] }])).toEqual([{ type: 'result', result: hash }])
  expect([readers.count(SEND), relay.count(SEND)]).toEqual([0, 1])
})

test('an endpoint that has no method but the one to send is used', async () => {
  const { chain, relay } = await open()
  relay.on('*', ({ method }) => (method === SEND ? undefined : rpcError(-32601, `the method ${method} does not exist`)))
  expect(await chain.broadcast([await sign(ALICE, 0)])).toEqual([{ type: 'accepted' }])
  expect(chain.findSendEndpoints(ALICE)).toMatchObject([{ state: 'healthy' }])
  expect(chain.findSendEndpoints(BOB)).toBeNull()
})

test('an endpoint of another chain gets nothing', async () => {
  const { chain, relay } = await open()
  relay.on('eth_chainId', answer('0x5'))
  expect(await chain.broadcast([await sign(ALICE, 0)])).toMatchObject([{ type: 'ambiguous' }])
  expect(relay.count(SEND)).toBe(0)
})

test('what a private endpoint holds is looked up there, and one that hides it says nothing', async () => {
  const { chain, relay } = await open()
  const tx = await sign(ALICE, 0)
  await chain.broadcast([tx])
  expect(await chain.lookAtPool(ALICE, [tx.hash])).toEqual({ latest: 0, pending: 1, knows: [true] })
  relay.on('eth_getTransactionCount', answer('0x0'))
  relay.on('eth_getTransactionByHash', answer(null))
  await expect(chain.lookAtPool(ALICE, [tx.hash])).rejects.toThrow(ChainUnavailable)
})
