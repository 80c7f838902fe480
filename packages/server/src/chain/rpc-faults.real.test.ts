import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../../../../tests/setup/anvil.ts'
import { type RpcProxy, startRpcProxy } from '../../../../tests/setup/rpc-proxy.ts'
import {
  answer,
  change,
  drop,
  garbage,
  httpStatus,
  nullResult,
  omit,
  type Reaction,
  rpcError,
} from '../../../../tests/setup/rpc-reactions.ts'
import { createSystemClock } from '../app/system-clock.ts'
import { type Hash, toAddress } from '../core/hex.ts'
import { type Block, ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { SignedTransaction } from '../ports/signer.ts'
import { createLocalSigner } from '../signer/local-signer.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createEvmChain, type EvmChain, type EvmChainOptions } from './evm-chain.ts'

const account = developmentAccount(0)
const sender = toAddress(account.address)
const signer = createLocalSigner([account.privateKey])
const HASH: Hash = `0x${'cd'.repeat(32)}`
/** Where the node answers: longer than a busy machine takes. Where it does not: short enough to be waited for. */
const TIMEOUT_MS = 30_000
const SHORT_TIMEOUT = { timeoutMs: 2_000 }
const CAPPED = rpcError(-32000, 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)')

let node: TestChain
let other: TestChain
let first: RpcProxy
let second: RpcProxy
const opened: EvmChain[] = []
const logged: string[] = []

/** The real clock, whose rests can be skipped; one that stands moves only by what is skipped. */
function createSkippingClock({ stands = false } = {}): Clock & { skip(ms: number): void } {
  const clock = createSystemClock()
  const start = Math.floor(clock.monotonic())
  let skipped = 0
  return {
    ...clock,
    monotonic: () => (stands ? start : clock.monotonic()) + skipped,
    skip(ms) {
      skipped += ms
    },
  }
}

function open(urls: readonly string[], options: Partial<EvmChainOptions> = {}): EvmChain {
  const chain = createEvmChain({
    chainId: 31337,
    urls,
    clock: createSkippingClock(),
    telemetry: {
      count() {},
      gauge() {},
      observe() {},
      log: (_, message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    },
    timeoutMs: TIMEOUT_MS,
    ...options,
  })
  opened.push(chain)
  return chain
}

function sign(nonce: number): Promise<SignedTransaction> {
  const fees = { type: 'eip1559', maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n } as const
  return signer.sign(sender, { chainId: 31337, nonce, to: sender, data: '0x', value: 1n, gasLimit: 21_000n, fees })
}

async function failureOf(promise: Promise<unknown>): Promise<ChainUnavailable> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ChainUnavailable)) throw new Error('expected it to be unavailable', { cause: error })
  return error
}

beforeAll(async () => {
  node = await startTestChain()
  other = await startTestChain({ chainId: 5 })
})
afterAll(async () => {
  await node.stop()
  await other.stop()
})
beforeEach(async () => {
  await node.dropAllTransactions()
  first = await startRpcProxy(node.rpcUrl)
  second = await startRpcProxy(node.rpcUrl)
})
afterEach(async () => {
  for (const chain of opened.splice(0)) await chain.close()
  await first.stop()
  await second.stop()
  logged.length = 0
})

const UNUSABLE: readonly (readonly [string, Reaction])[] = [
  ['HTML', garbage({ forward: true })],
  ['truncated JSON', garbage({ forward: true, body: '{"jsonrpc":"2.0","id":2,"resu' })],
  ['an empty body', garbage({ forward: true, body: '' })],
  ['JSON that is no JSON-RPC', garbage({ forward: true, body: '[1,2,3]' })],
  ['another id', garbage({ forward: true, body: '{"jsonrpc":"2.0","id":999999,"result":"0x1"}' })],
  ['neither result nor error', omit({ forward: true })],
  ['HTTP 500', httpStatus(500, { forward: true })],
  ['HTTP 503', httpStatus(503, { forward: true })],
  ['a broken connection', drop({ forward: true })],
]

describe.each(UNUSABLE)('a node that answers with %s', (_, reaction) => {
  test('is unavailable to reads', async () => {
    const chain = open([first.url])
    first.on('eth_getBalance', reaction)
    await failureOf(chain.getBalance(sender))
  })

  test('leaves a send ambiguous, and the bytes are already known when sent again', async () => {
    const chain = open([first.url])
    const tx = await sign(0)
    const stop = first.on('eth_sendRawTransaction', reaction)
    expect(await chain.broadcast([tx])).toMatchObject([{ type: 'ambiguous' }])
    stop()
    expect(await chain.broadcast([tx])).toEqual([{ type: 'already_known' }])
  })

  test('is replaced by the next one', async () => {
    const chain = open([first.url, second.url])
    first.on('eth_getBalance', reaction)
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
    expect(chain.endpoints().map(({ state }) => state)).toEqual(['failing', 'healthy'])
    const asked = first.requestCount
    await chain.getBalance(sender)
    expect(first.requestCount).toBe(asked)
  })
})

describe('time-outs', () => {
  test('end a read', async () => {
    const chain = open([first.url], SHORT_TIMEOUT)
    await chain.getBalance(sender)
    first.hold('eth_getBalance', 'before')
    expect((await failureOf(chain.getBalance(sender))).message).toContain('TIMEOUT')
  })

  test('leave a send ambiguous although the node has the bytes', async () => {
    const chain = open([first.url], SHORT_TIMEOUT)
    const tx = await sign(0)
    first.hold('eth_sendRawTransaction', 'after')
    expect(await chain.broadcast([tx])).toMatchObject([{ type: 'ambiguous' }])
    expect(await chain.findTransaction(tx.hash)).toMatchObject({ nonce: 0 })
  })

  test('of one node do not hold up a send that another holds', async () => {
    const chain = open([first.url, second.url], { timeoutMs: 60_000 })
    const held = first.hold('eth_sendRawTransaction', 'before')
    expect(await chain.broadcast([await sign(0)])).toEqual([{ type: 'accepted' }])
    held.release()
  })
})

describe('rate limits', () => {
  test('with Retry-After pause the node for that long', async () => {
    const clock = createSkippingClock({ stands: true })
    // A pause within the time-out would be waited for.
    const chain = open([first.url], { clock, timeoutMs: 5_000 })
    await chain.getBalance(sender)
    first.next('*', httpStatus(429, { headers: { 'retry-after': '7' } }))
    const { retryAfterMs } = await failureOf(chain.getBalance(sender))
    expect(retryAfterMs).toBeGreaterThan(6_800)
    expect(retryAfterMs).toBeLessThanOrEqual(7_000)
    const asked = first.requestCount
    expect((await failureOf(chain.getBalance(sender))).retryAfterMs).toBeGreaterThan(0)
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'rate_limited' }])
    expect(first.requestCount).toBe(asked)
    clock.skip(7_000)
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
  })

  test('with Retry-After of a day pause it for a minute, then probe it with one request', async () => {
    const clock = createSkippingClock()
    const chain = open([first.url], { clock })
    await chain.getBalance(sender)
    first.next('*', httpStatus(429, { headers: { 'retry-after': '86400' } }))
    expect((await failureOf(chain.getBalance(sender))).retryAfterMs).toBeLessThanOrEqual(60_000)
    expect(chain.endpoints()).toMatchObject([{ state: 'rate_limited', lastError: { message: 'HTTP 429' } }])
    clock.skip(60_000)
    const held = first.hold('eth_getBalance', 'before')
    const waiting = [chain.getBalance(sender), chain.getTransactionCount(sender, 'latest')]
    await held.arrived
    expect(first.count('eth_getTransactionCount')).toBe(0)
    held.release()
    await Promise.all(waiting)
    expect(chain.endpoints()).toMatchObject([{ state: 'healthy' }])
  })

  test.each([
    ['HTTP 429', httpStatus(429)],
    ['an error of a provider', rpcError(-32005, 'daily request count exceeded, request rate limited')],
    ['a batch item of its own', rpcError(429, 'Your app has exceeded its compute units per second capacity')],
  ] as const)('as %s without Retry-After are waited for', async (_, reaction) => {
    const chain = open([first.url])
    await chain.getBalance(sender)
    first.next('*', reaction)
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
    expect(first.count('eth_getBalance')).toBe(3)
    expect(chain.endpoints()[0]?.callsPerSecond).toBeGreaterThan(0)
  })

  test('on a batch halve it, and on some of its calls repeat only those', async () => {
    const chain = open([first.url], { timeoutMs: 10_000 })
    const hashes = Array.from({ length: 30 }, (_, index): Hash => `0x${String(index).padStart(64, '0')}`)
    const stop = first.onRequest((calls) => (calls.length > 10 ? httpStatus(429) : undefined))
    expect(await chain.findReceipts(hashes)).toEqual(hashes.map(() => ({ type: 'missing' })))
    const sizes = first.requests.map(({ length }) => length)
    expect(sizes.filter((size) => size > 15)).toEqual([30])
    stop()
    first.reset()
    first.next('eth_getTransactionReceipt', rpcError(429, 'slow down'), 3)
    expect(await chain.findReceipts(hashes.slice(0, 8))).toEqual(hashes.slice(0, 8).map(() => ({ type: 'missing' })))
    expect(first.count('eth_getTransactionReceipt')).toBe(11)
  })

  test('from one of two nodes send the refused calls to the other at once', async () => {
    const chain = open([first.url, second.url], { clock: createSkippingClock({ stands: true }) })
    await chain.getBalance(sender)
    first.on('*', httpStatus(429, { headers: { 'retry-after': '60' } }))
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
    expect(await chain.forward([{ method: 'eth_blockNumber', params: [] }])).toMatchObject([{ type: 'result' }])
    second.on('eth_sendRawTransaction', rpcError(-32000, 'invalid sender'))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'rate_limited' }])
    expect(chain.endpoints()).toMatchObject([{ state: 'rate_limited', inUse: false }, { inUse: true }])
  })

  test('on a send mean that the bytes were not accepted', async () => {
    const chain = open([first.url], SHORT_TIMEOUT)
    first.on('eth_sendRawTransaction', httpStatus(429))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'rate_limited' }])
  })
})

describe('another chain', () => {
  test('on one of two URLs is never used', async () => {
    second.setUpstream(other.rpcUrl)
    const chain = open([second.url, first.url])
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
    expect(await chain.broadcast([await sign(0)])).toEqual([{ type: 'accepted' }])
    expect(chain.endpoints().map(({ state }) => state)).toEqual(['wrong_chain', 'healthy'])
    expect(new Set(second.calls.map(({ method }) => method))).toEqual(new Set(['eth_chainId']))
  })

  test('on the only URL counts as unavailable, and is reported', async () => {
    const chain = open([first.url])
    first.setUpstream(other.rpcUrl)
    expect((await failureOf(chain.getBlock('latest'))).message).toContain('serves chain 5, not 31337')
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'ambiguous' }])
    expect(first.count('eth_sendRawTransaction')).toBe(0)
  })

  test('that appears at a URL after a failure is noticed before it is used', async () => {
    const chain = open([first.url])
    await chain.getBalance(sender)
    const stop = first.on('eth_getBalance', garbage({ forward: false }))
    await failureOf(chain.getBalance(sender))
    stop()
    first.setUpstream(other.rpcUrl)
    await failureOf(chain.getBalance(sender))
    expect(first.count('eth_getBalance')).toBe(2)
  })

  test('that appears behind a connection which was closed is noticed too', async () => {
    const chain = open([first.url])
    await chain.getBalance(sender)
    first.setUpstream(other.rpcUrl)
    first.next('eth_getBalance', drop({ forward: false }))
    expect((await failureOf(chain.getBalance(sender))).message).toContain('serves chain 5')
    expect(first.count('eth_getBalance')).toBe(2)
  })
})

describe('a URL that suddenly serves another chain', () => {
  test.each([
    ['a block by its tag', (chain: EvmChain) => chain.getBlock('latest')],
    ['tags', (chain: EvmChain) => chain.getTags()],
    ['a count', (chain: EvmChain) => chain.getTransactionCount(sender, 'latest')],
    [
      'an estimate',
      (chain: EvmChain) => chain.estimate([{ from: sender, to: sender, data: '0x', value: 0n, gasLimit: null }], null),
    ],
  ])('is not believed: %s', async (_, read) => {
    const chain = open([first.url])
    await read(chain)
    first.setUpstream(other.rpcUrl)
    expect((await failureOf(read(chain))).message).toContain('serves chain 5, not 31337')
    expect(chain.endpoints()).toMatchObject([{ state: 'wrong_chain', lastError: { message: /serves chain 5/ } }])
    first.setUpstream(node.rpcUrl)
    const asked = first.requestCount
    await failureOf(read(chain))
    expect(first.requestCount).toBe(asked)
  })

  test('leaves a send ambiguous, whatever it answers, and is checked again soon', async () => {
    const clock = createSkippingClock()
    const chain = open([first.url], { clock })
    await chain.getBalance(sender)
    first.setUpstream(other.rpcUrl)
    first.on('eth_sendRawTransaction', rpcError(-32000, 'invalid sender'))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'ambiguous' }])
    expect(chain.endpoints()).toMatchObject([{ state: 'wrong_chain' }])
    first.reset()
    first.setUpstream(node.rpcUrl)
    clock.skip(1_000)
    expect(await chain.broadcast([await sign(0)])).toEqual([{ type: 'accepted' }])
  })

  test('is barred by its error texts alone if it hides its chain id', async () => {
    const chain = open([first.url])
    await chain.getBalance(sender)
    first.next('eth_sendRawTransaction', rpcError(-32000, 'invalid sender: invalid chain id for signer: have 1 want 5'))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'ambiguous' }])
    expect(chain.endpoints()).toMatchObject([{ state: 'wrong_chain' }])
    expect(logged.filter((line) => line.includes('wrong_chain')).length).toBe(1)
  })

  test('is noticed at a new connection to a node that takes no batches', async () => {
    const chain = open([first.url])
    first.onRequest((calls) => (calls.length > 1 ? httpStatus(405) : undefined))
    await chain.getTransactionCount(sender, 'latest')
    await chain.getTransactionCount(sender, 'latest')
    first.setUpstream(other.rpcUrl)
    first.setDown(true)
    first.setDown(false)
    expect((await failureOf(chain.getTransactionCount(sender, 'latest'))).message).toContain('serves chain 5')
  })
})

test('two URLs of one host are told apart, and never shown whole', () => {
  const chain = open([`${first.url}/key-of-the-first`, `${first.url}/key-of-the-second`])
  const { host } = new URL(first.url)
  expect(chain.endpoints().map(({ name }) => name)).toEqual([`${host}#1`, `${host}#2`])
})

test('a node that flickers is logged once a minute', async () => {
  const clock = createSkippingClock()
  const chain = open([first.url], { clock })
  const flicker = async () => {
    first.next('eth_getBalance', garbage({ forward: false }))
    await failureOf(chain.getBalance(sender))
    clock.skip(2_000)
    await chain.getBalance(sender)
  }
  for (let round = 0; round < 5; round++) await flicker()
  const failing = () => logged.filter((line) => line.includes('is failing'))
  expect(failing().length).toBe(1)
  clock.skip(60_000)
  await flicker()
  expect(failing().length).toBe(2)
  expect(failing()[1]).toContain('"sinceLastLine":4')
})

test('a connection that was closed while idle costs no failure', async () => {
  const chain = open([first.url])
  await chain.getBalance(sender)
  first.next('eth_getBalance', drop({ forward: false }))
  expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
  first.next('eth_sendRawTransaction', drop({ forward: true }))
  expect(await chain.broadcast([await sign(0)])).toEqual([{ type: 'already_known' }])
  first.next('eth_blockNumber', drop({ forward: false }))
  expect(await chain.forward([{ method: 'eth_blockNumber', params: [] }])).toMatchObject([{ type: 'lost' }])
})

describe('what is passed on for others', () => {
  const query = { method: 'eth_getLogs', params: [{}] }

  test('marks no node as down when it gets no answer', async () => {
    const chain = open([first.url])
    await chain.getBalance(sender)
    first.on('eth_getLogs', garbage({ forward: false }))
    expect(await chain.forward([query])).toMatchObject([{ type: 'lost' }])
    expect(chain.endpoints()).toMatchObject([{ state: 'healthy' }])
  })

  test('pauses no node when it asks for too much, but does when it asks too often', async () => {
    const chain = open([first.url], SHORT_TIMEOUT)
    await chain.getBalance(sender)
    first.on('eth_getLogs', rpcError(-32005, 'query returned more than 10000 results'))
    expect(await chain.forward([query])).toMatchObject([{ type: 'error', error: { code: -32005 } }])
    expect(chain.endpoints()).toMatchObject([{ state: 'healthy' }])
    first.on('eth_getLogs', rpcError(-32005, 'daily request count exceeded, request rate limited'))
    expect(await chain.forward([query])).toMatchObject([{ type: 'rate_limited' }])
    expect(chain.endpoints()).toMatchObject([{ state: 'rate_limited' }])
  })
})

describe('failover', () => {
  test('goes to the second node, and back when only the first works', async () => {
    const clock = createSkippingClock()
    const chain = open([first.url, second.url], { clock })
    await chain.getBalance(sender)
    first.setDown(true)
    await chain.getBalance(sender)
    await chain.getBalance(sender)
    expect(second.count('eth_getBalance')).toBe(2)
    first.setDown(false)
    second.setDown(true)
    clock.skip(60_000)
    await chain.getBalance(sender)
    expect(first.count('eth_getBalance')).toBeGreaterThanOrEqual(2)
  })

  test('never gives up the last node', async () => {
    const chain = open([first.url])
    first.setDown(true)
    await failureOf(chain.getBalance(sender))
    await failureOf(chain.getBalance(sender))
    first.setDown(false)
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
  })

  test('asks the next node only for what is missing', async () => {
    const chain = open([first.url, second.url])
    first.on('eth_getTransactionReceipt', (call) => (call.params[0] === HASH ? omit({ forward: false }) : undefined))
    const lookups = await chain.findReceipts([`0x${'ab'.repeat(32)}`, HASH])
    expect(lookups).toEqual([{ type: 'missing' }, { type: 'missing' }])
    expect(second.calls.filter(({ method }) => method !== 'eth_chainId').map(({ params }) => params)).toEqual([[HASH]])
  })
})

describe('broadcasts', () => {
  test('go to every node, as one batch each, in order', async () => {
    const chain = open([first.url, second.url])
    const sent = await Promise.all([sign(0), sign(1), sign(2)])
    await chain.broadcast(sent)
    for (const proxy of [first, second]) {
      await proxy.awaitCalls('eth_sendRawTransaction', 3)
      const sends = proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction')
      expect(sends.map(({ params }) => params[0])).toEqual(sent.map(({ raw }) => raw))
      expect(proxy.requestCount).toBe(2)
    }
  })

  test.each([
    ['accepted by one, rejected by the other', answer('match'), rpcError(-32000, 'intrinsic gas too low'), 'accepted'],
    ['lost by one, rejected by the other', drop({ forward: false }), rpcError(-32000, 'invalid sender'), 'ambiguous'],
    [
      'unknown words of one, rejected by the other',
      rpcError(1, 'gremlins'),
      rpcError(-32000, 'invalid sender'),
      'ambiguous',
    ],
    ['refused by both', rpcError(-32000, 'invalid sender'), rpcError(-32000, 'invalid sender'), 'refused'],
    ['invalid to one, refused by the other', rpcError(-32000, 'intrinsic gas too low'), CAPPED, 'refused'],
    ['another chain for one, refused by the other', rpcError(-32000, 'invalid chain ID'), CAPPED, 'ambiguous'],
    ['limited by one, rejected by the other', httpStatus(429), rpcError(-32000, 'invalid sender'), 'rate_limited'],
    ['too low at one, lost by the other', rpcError(-32000, 'nonce too low'), drop({ forward: false }), 'nonce_too_low'],
  ] as const)('%s', async (_, one, two, expected) => {
    const chain = open([first.url, second.url], SHORT_TIMEOUT)
    const tx = await sign(0)
    first.on('eth_sendRawTransaction', one.type === 'answer' ? answer(tx.hash) : one)
    second.on('eth_sendRawTransaction', two)
    expect((await chain.broadcast([tx]))[0]?.type).toBe(expected)
  })

  test('an unreachable node has no say', async () => {
    const chain = open([first.url, second.url])
    await first.stop()
    second.on('eth_sendRawTransaction', rpcError(-32000, 'intrinsic gas too low'))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'invalid', reason: 'gas_too_low' }])
  })

  test('an answer with another hash than that of the bytes is no acceptance', async () => {
    const chain = open([first.url])
    first.on('eth_sendRawTransaction', answer(HASH))
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'ambiguous' }])
  })

  test('one answer missing from a batch leaves that one ambiguous', async () => {
    const chain = open([first.url])
    const sent = await Promise.all([sign(0), sign(1)])
    first.on('eth_sendRawTransaction', (call) =>
      call.params[0] === sent[0]?.raw ? omit({ forward: true }) : undefined,
    )
    expect((await chain.broadcast(sent)).map(({ type }) => type)).toEqual(['ambiguous', 'accepted'])
  })
})

describe('a lying node', () => {
  let block: Block
  let hashes: readonly Hash[]
  beforeAll(async () => {
    await node.dropAllTransactions()
    const nonce = Number(await node.rpc<string>('eth_getTransactionCount', [sender, 'latest']))
    const sent = await Promise.all([sign(nonce), sign(nonce + 1)])
    for (const { raw } of sent) await node.rpc('eth_sendRawTransaction', [raw])
    await node.mine()
    hashes = sent.map(({ hash }) => hash)
  })
  afterAll(() => node.rollback(1))
  beforeEach(async () => {
    const chain = open([node.rpcUrl])
    const latest = await chain.getBlock('latest')
    if (latest === null) throw new Error('there is a latest block')
    block = latest
  })
  const alter = (fields: Readonly<Record<string, unknown>>) =>
    change((result) => ({ ...(result as object), ...fields }))

  test.each([
    ['another transaction', { transactionHash: HASH }],
    ['no status', { status: null }],
    ['a status out of range', { status: '0x2' }],
    ['a number that is none', { blockNumber: 'soon' }],
    ['a short block hash', { blockHash: '0x12' }],
  ])('whose receipt has %s fails the lookup', async (_, fields) => {
    const chain = open([first.url])
    first.on('eth_getTransactionReceipt', alter(fields))
    expect(await chain.findReceipts(hashes.slice(0, 1))).toMatchObject([{ type: 'failed' }])
  })

  test('whose receipts are of another block includes nothing', async () => {
    const chain = open([first.url])
    first.on('eth_getTransactionReceipt', alter({ blockHash: HASH }))
    expect(await chain.getInclusions(block, hashes.slice(0, 1))).toEqual([])
    first.on(
      'eth_getBlockReceipts',
      change((result) => (result as object[]).map((one) => ({ ...one, blockHash: HASH }))),
    )
    expect(await chain.getInclusions(block, hashes)).toEqual([])
  })

  test('without a receipt for a transaction in its block gives the others', async () => {
    const chain = open([first.url])
    first.on(
      'eth_getBlockReceipts',
      change((result) => (result as object[]).slice(1)),
    )
    expect((await chain.getInclusions(block, hashes)).map(({ txHash }) => txHash)).toEqual(hashes.slice(1))
    first.on('eth_getTransactionReceipt', nullResult)
    expect(await chain.getInclusions(block, hashes.slice(0, 1))).toEqual([])
  })

  test('that does not know the block it announced is unavailable', async () => {
    const chain = open([first.url])
    first.on('eth_getBlockReceipts', nullResult)
    await failureOf(chain.getInclusions(block, hashes))
    expect(chain.endpoints()[0]?.state).toBe('healthy')
    first.on('eth_getBlockReceipts', answer('all of them'))
    await failureOf(chain.getInclusions(block, hashes))
    expect(chain.endpoints()[0]?.state).toBe('failing')
  })

  test.each([
    ['block', { hash: HASH }],
    ['number', { number: '0xffff' }],
    ['list of transactions', { transactions: 'none' }],
  ])('with a wrong %s is unavailable', async (_, fields) => {
    const chain = open([first.url])
    first.on('eth_getBlockByHash', alter(fields))
    first.on('eth_getBlockByNumber', alter(fields))
    if ('hash' in fields) await failureOf(chain.getBlock({ hash: block.hash }))
    else await failureOf(chain.getBlock(block.number))
  })

  test.each([
    ['text', 'lots'],
    ['a number', 7],
    ['null', null],
    ['an object', {}],
    ['too many digits', `0x${'f'.repeat(65)}`],
  ])('whose balance is %s is unavailable', async (_, value) => {
    const chain = open([first.url])
    first.on('eth_getBalance', answer(value))
    first.on('eth_getTransactionCount', answer(value))
    await failureOf(chain.getBalance(sender))
    await failureOf(chain.getTransactionCount(sender, 'latest'))
  })

  test('without eth_getBlockReceipts is asked for single ones, and not for it again for a while', async () => {
    const clock = createSkippingClock()
    const chain = open([first.url], { clock })
    first.on('eth_getBlockReceipts', rpcError(-32601, 'Method not found'))
    for (let round = 0; round < 2; round++) {
      expect((await chain.getInclusions(block, hashes)).map(({ txHash }) => txHash)).toEqual(hashes)
    }
    expect(first.count('eth_getBlockReceipts')).toBe(1)
    expect(first.count('eth_getTransactionReceipt')).toBe(4)
    clock.skip(11 * 60_000)
    await chain.getInclusions(block, hashes)
    expect(first.count('eth_getBlockReceipts')).toBe(2)
  })

  test('that seems to lack a standard method is asked for it again', async () => {
    const chain = open([first.url])
    first.next('eth_getBalance', rpcError(-32601, 'the method eth_getBalance is not available'))
    await failureOf(chain.getBalance(sender))
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
  })

  test('without tags has none', async () => {
    const chain = open([first.url])
    first.on('eth_getBlockByNumber', ({ params }) =>
      params[0] === 'safe' ? rpcError(-39001, 'Unknown block') : params[0] === 'finalized' ? nullResult : undefined,
    )
    expect(await chain.getTags()).toEqual({ safe: null, finalized: null })
  })

  test('that lags does not prove that tags are missing', async () => {
    const chain = open([first.url])
    first.on('eth_getBlockByNumber', rpcError(-32000, 'internal error'))
    await failureOf(chain.getTags())
  })
})

describe('credentials in a URL', () => {
  test('are in no error and no log, even if the node echoes them', async () => {
    const secret = 'kEy-0123456789abcdef'
    const url = new URL(`/v2/${secret}?token=${secret}-token`, first.url)
    url.username = 'operator-name'
    url.password = 'pa55'
    const chain = open([url.href])
    first.next('*', rpcError(-32000, `project ${secret} is suspended`))
    const failures = [await failureOf(chain.getBalance(sender))]
    first.next('eth_getBalance', rpcError(-32000, `user operator-name with pa55 and ${secret}-token`))
    failures.push(await failureOf(chain.getBalance(sender)))
    first.setDown(true)
    failures.push(await failureOf(chain.getBalance(sender)))
    const seen = [...failures.map((error) => `${error.message} ${error.stack} ${JSON.stringify(error)}`), ...logged]
    expect(logged.length).toBeGreaterThan(0)
    for (const text of seen) expect(text).not.toMatch(/kEy-|operator-name|pa55|token/)
    expect(failures[0]?.message).toContain(url.host)
  })

  test('do not garble chain data, however short they are', async () => {
    const url = new URL('/transactions', first.url)
    url.username = 'dev'
    url.password = '0'
    const chain = open([url.href])
    const block = await chain.getBlock('latest')
    expect(block).toEqual(await open([first.url]).getBlock('latest'))
    expect(await chain.getBalance(sender)).toBeGreaterThan(0n)
  })

  test('that cannot be read are refused by position', () => {
    expect(() => open(['http://ok.example', 'htp:/pa55@nowhere'])).toThrow(/^RPC URL 2 of 2 is not/)
    expect(() => open(['ws://heads.example/pa55'])).toThrow(/at least one http/)
  })
})

test('every call of a batch is counted by method and result, forwarded ones under one name', async () => {
  const telemetry = createRecordingTelemetry()
  const chain = open([first.url], { telemetry })
  first.on('eth_getBalance', rpcError(-32000, 'header not found'))
  await failureOf(chain.getBalance(sender))
  await chain.broadcast([await sign(0), await sign(1)])
  await chain.forward([{ method: 'made_up_by_a_caller', params: [] }])
  const count = (method: string, outcome: string) =>
    telemetry.valueOf('drover_rpc_requests_total', { chainId: 31337, host: new URL(first.url).host, method, outcome })
  // Before the first call, and along with the bytes.
  expect(count('eth_chainId', 'result')).toBe(2)
  expect(count('eth_getBalance', 'error')).toBe(1)
  expect(count('eth_sendRawTransaction', 'result')).toBe(2)
  expect([count('forwarded', 'error'), count('made_up_by_a_caller', 'error')]).toEqual([1, 0])
})

test('a chain is priced by the model that was chosen', async () => {
  expect((await open([first.url]).getFeeMarket()).baseFeePerGas).not.toBeNull()
  expect((await open([first.url], { feeModel: 'legacy' }).getFeeMarket()).baseFeePerGas).toBeNull()
  first.on('eth_feeHistory', rpcError(-32601, 'Method not found'))
  first.on(
    'eth_getBlockByNumber',
    change((block) => ({ ...(block as object), baseFeePerGas: undefined })),
  )
  const insisting = open([first.url], { feeModel: 'eip1559' })
  expect((await failureOf(insisting.getFeeMarket())).message).toContain('feeModel is eip1559')
})

test('a closed chain is unavailable at once', async () => {
  const chain = open([first.url])
  await chain.close()
  await failureOf(chain.getBalance(sender))
  expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'ambiguous' }])
  expect(first.requestCount).toBe(0)
})
