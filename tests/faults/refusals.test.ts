/**
 * RPC nodes that refuse. A refusal is a node's own opinion: another node may have the bytes, and so may the one that
 * refuses them. No intent ends before its nonce is finally used, and those behind it go on.
 */
import { parseTransaction } from 'viem'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { readChain } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { pass, type Reaction, type RpcCall, rpcError } from '../setup/rpc-reactions.ts'
import { scenario } from './scenario.ts'
import { type SeenTransaction, type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const FEE_CAP = rpcError(-32000, 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)')
const POOL_FULL = rpcError(-32000, 'txpool is full')
const PLAIN = { gasLimit: '30000', simulate: false }
const GWEI = 10n ** 9n

/** Each in the words of a real node, as one thing or another that a node can have against bytes. */
const REFUSALS = [
  'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)',
  'Sender account not authorized to send transactions',
  'transaction type not supported',
  'transaction gas limit too high',
  'oversized data: transaction size 131100, limit 131072',
  'max initcode size exceeded',
  'only replay-protected (EIP-155) transactions allowed over RPC',
  'intrinsic gas too low',
  'invalid signature',
  'tip higher than fee cap',
]

let node: SingleNode
let second: RpcProxy

beforeAll(async () => {
  second = await startRpcProxy('http://127.0.0.1:1')
  node = await startSingleNode({
    preset: 'fast',
    rpcUrl: (proxyUrl, chainUrl) => {
      second.setUpstream(chainUrl)
      return `${proxyUrl},${second.url}`
    },
  })
})

afterEach(() => {
  for (const proxy of [node.proxy, second]) proxy.reset()
})

afterAll(async () => {
  await node.close()
  await second.stop()
})

/** Both nodes answer like this for bytes that are meant, and as ever for all others. */
function onBoth(isMeant: (call: RpcCall) => boolean, react: (call: RpcCall) => Reaction | Promise<Reaction>): void {
  for (const proxy of [node.proxy, second]) proxy.on(SEND, async (call) => (isMeant(call) ? await react(call) : pass))
}

function read({ params: [raw] }: RpcCall) {
  return parseTransaction(raw as `0x${string}`)
}

/** Not one of the empty transactions that take a nonce. */
function isOriginal(call: RpcCall): boolean {
  return (read(call).value ?? 0n) > 0n
}

const explain = async (id: string) => (await node.drover().get(`/v1/transactions/${id}/explain`)).body

/** What is said of each agrees with the chain: executed exactly if CONFIRMED, and no nonce is missing. */
async function expectAgreement(ids: readonly string[]): Promise<void> {
  const mined = await readChain(node.chain)
  expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index))
  for (const id of ids) {
    const { body } = await node.drover().get(`/v1/transactions/${id}/attempts`)
    const attempts: readonly { readonly hash: string; readonly kind: string }[] = body.items
    const found = attempts.filter(({ hash }) => mined.some((tx) => tx.hash === hash))
    const { state } = await node.read(id)
    expect([id, found.map(({ kind }) => kind)]).toEqual([id, [state === 'CONFIRMED' ? 'original' : 'cancel']])
  }
}

async function readAllOf(ids: readonly string[]): Promise<readonly SeenTransaction[]> {
  return await Promise.all(ids.map(node.read))
}

scenario('one node refuses because of its fee cap, the other accepted: mined, and reported so', async () => {
  node.proxy.on(SEND, FEE_CAP)
  const ids = [await node.send(PLAIN), await node.send(PLAIN)]
  await node.mineUntil(ids, 'CONFIRMED')
  await expectAgreement(ids)
})

scenario('every node refuses, but one forwarded the bytes anyway: mined, and reported so', async () => {
  const forwards = async ({ params }: RpcCall): Promise<Reaction> => {
    await node.chain.rpc(SEND, params).catch(() => {})
    return FEE_CAP
  }
  node.proxy.on(SEND, async (call) => (isOriginal(call) ? await forwards(call) : POOL_FULL))
  second.on(SEND, (call) => (isOriginal(call) ? FEE_CAP : POOL_FULL))
  const id = await node.send(PLAIN)
  const seen = await node.until(id, ({ hashes }) => hashes.length > 1)
  expect(seen).toMatchObject({ state: 'ALLOCATED', subState: 'making_way' })
  await node.mineUntil([id], 'CONFIRMED')
  await expectAgreement([id])
})

scenario(
  'every node refuses and none has the bytes: an empty transaction takes the nonce, the others continue',
  async () => {
    onBoth(
      (call) => read(call).value === 77n,
      () => FEE_CAP,
    )
    const id = await node.send({ ...PLAIN, value: '77' })
    const behind: string[] = []
    for (let index = 0; index < 5; index++) behind.push(await node.send(PLAIN))
    await node.mineUntil([id, ...behind], 'CONFIRMED', 'CANCELLED')
    expect(await node.read(id)).toMatchObject({ state: 'CANCELLED', subState: 'rejected' })
    expect((await readAllOf(behind)).map(({ state }) => state)).toEqual(behind.map(() => 'CONFIRMED'))
    await expectAgreement([id, ...behind])
  },
)

scenario(
  'each kind of refusal once: CANCELLED as rejected, with the error of the node; all others are mined',
  async () => {
    const wordsOf = (call: RpcCall) => REFUSALS[Number(read(call).value ?? 0n) - 1000]
    onBoth(
      (call) => wordsOf(call) !== undefined,
      (call) => rpcError(-32000, wordsOf(call) ?? ''),
    )
    const bad: string[] = []
    const good: string[] = []
    for (const index of REFUSALS.keys()) {
      bad.push(await node.send({ ...PLAIN, value: String(1000 + index) }))
      good.push(await node.send(PLAIN))
    }
    await node.mineUntil([...bad, ...good], 'CONFIRMED', 'CANCELLED')
    expect((await readAllOf(good)).map(({ state }) => state)).toEqual(good.map(() => 'CONFIRMED'))
    for (const [index, tx] of (await readAllOf(bad)).entries()) {
      expect(tx).toMatchObject({ state: 'CANCELLED', subState: 'rejected', error: { code: 'rejected' } })
      expect(JSON.stringify(tx.error)).toContain(REFUSALS[index])
    }
    await expectAgreement([...bad, ...good])
  },
)

scenario(
  'every node refuses a tip of 0, 20 queued behind it: it fails naming the price, all others are mined',
  async () => {
    onBoth(
      (call) => read(call).maxPriorityFeePerGas === undefined || read(call).maxPriorityFeePerGas === 0n,
      () => rpcError(-32000, 'transaction gas price below minimum: gas tip cap 0, minimum needed 1'),
    )
    const fees = { maxFeePerGas: String(50n * GWEI), maxPriorityFeePerGas: '0' }
    const free = await node.send({ ...PLAIN, fees })
    const behind: string[] = []
    for (let index = 0; index < 20; index++) behind.push(await node.send(PLAIN))
    const making = await eventually(
      async () => await explain(free),
      ({ cause }) => cause === 'making_way',
    )
    expect(making.summary).toMatch(/Every RPC node refused its price of .*tip of 0 gwei; the market price is/)
    expect(making.summary).toContain('so that later transactions can continue')
    await node.mineUntil([free, ...behind], 'CONFIRMED', 'CANCELLED')
    const ended = await node.read(free)
    expect(ended).toMatchObject({ state: 'CANCELLED', subState: 'rejected', error: { code: 'rejected' } })
    expect(JSON.stringify(ended.error)).toContain('minimum needed 1')
    expect((await readAllOf(behind)).map(({ state }) => state)).toEqual(behind.map(() => 'CONFIRMED'))
    await expectAgreement([free, ...behind])
  },
)

scenario('killed before the empty transaction is signed: the next process signs it', async () => {
  onBoth(isOriginal, () => FEE_CAP)
  // What the empty transaction needs is asked for before it is signed.
  const asked = [node.proxy, second].map((proxy) => proxy.hold('eth_estimateGas', 'before'))
  const first = await node.send(PLAIN)
  await node.until(first, ({ subState }) => subState === 'making_way')
  await node.stopService('SIGKILL')
  for (const held of asked) held.release()
  await node.start()
  await node.mineUntil([first], 'CANCELLED')
  expect(await node.read(first)).toMatchObject({ subState: 'rejected', hashes: { length: 2 } })
  await expectAgreement([first])
})

scenario('bytes that are invalid by the rules of the chain free their nonce at once', async () => {
  const before = await readChain(node.chain)
  onBoth(
    (call) => read(call).data !== undefined,
    () => rpcError(-32000, 'intrinsic gas too low: gas 21000, minimum needed 22600'),
  )
  const bad = await node.send({ gasLimit: '21000', data: `0x${'11'.repeat(100)}`, simulate: false })
  await node.until(bad, ({ state }) => state === 'CANCELLED')
  expect(await node.read(bad)).toMatchObject({ subState: 'rejected', nonce: null, hashes: { length: 1 } })
  const good = await node.send(PLAIN)
  await node.mineUntil([good], 'CONFIRMED')
  expect(await node.read(good)).toMatchObject({ nonce: before.length })
  await expectAgreement([good])
})
