/** RPC nodes that take requests and answer nothing, seen by the real pool, follower and watch with the default settings. */
import { expect, onTestFinished, test } from 'vitest'
import { createEvmChain } from '../chain/evm-chain.ts'
import type { HttpReply } from '../chain/rpc/http-post.ts'
import { createChainUnit } from '../engine/chain-unit.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../testing/store/memory-store.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'

const CHAIN_ID = 1
/** Long enough that the pace of the head poll has settled. */
const WARM_UP_MS = 60_000

/** How long the node takes for these calls. */
type Delay = (host: string, methods: readonly string[]) => number
const AT_ONCE: Delay = () => 0
const NEVER = Number.POSITIVE_INFINITY

function setUp({ blockMs = 12_000, hosts = ['one.example'] } = {}) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  let delay = AT_ONCE
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.schedule(ms, resolve))
  const height = () => 100 + Math.floor(clock.monotonic() / blockMs)

  function answer({ method, params }: RpcCall): unknown {
    if (method === 'eth_chainId') return toHex(CHAIN_ID)
    if (method === 'eth_blockNumber') return toHex(height())
    if (method === 'eth_getBlockByNumber') return blockAt(params[0] === 'latest' ? height() : Number(params[0]))
    if (method === 'eth_getBlockByHash') return blockAt(Number(`0x${String(params[0]).slice(-8)}`))
    throw new Error(`not scripted: ${method}`)
  }

  const chain = createEvmChain({
    chainId: CHAIN_ID,
    urls: hosts.map((host) => `http://${host}`),
    clock,
    telemetry,
    pollIntervalMs: null,
    blockTimeMs: 12_000,
    openPost: ({ url, timeoutMs }) => ({
      post: async (body): Promise<HttpReply> => {
        const parsed = JSON.parse(body) as RpcCall | readonly RpcCall[]
        const calls: readonly RpcCall[] = [parsed].flat()
        const methods = calls.map(({ method }) => method)
        const tookMs = Math.min(timeoutMs, delay(url.hostname, methods))
        if (tookMs > 0) await pass(tookMs)
        if (tookMs === timeoutMs) return { type: 'lost', code: 'ETIMEDOUT', stale: false }
        const replies = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) }))
        const text = JSON.stringify(Array.isArray(parsed) ? replies : replies[0])
        return { type: 'answered', status: 200, retryAfterMs: null, body: text }
      },
      connections: () => 1,
      close() {},
    }),
  })
  const unit = createChainUnit(
    chain,
    {
      finality: { type: 'confirmations', count: 12 },
      headerWindow: 256,
      pollIntervalMs: 3_000,
      blockTimeMs: 12_000,
      standingAfterMs: null,
      staleReceiptTimeoutMs: 60_000,
      blockQueueLength: 100,
      receiptBatch: 100,
      receiptWorkers: 1,
      fetchReceiptUponEntry: false,
      maxTxFeeWei: null,
      preconfirmations: false,
    },
    { store: createMemoryStore({ clock }), clock, telemetry, leaseTtlMs: 15_000, onFinalReorg: () => {} },
  )
  unit.follower.start()
  onTestFinished(async () => {
    delay = AT_ONCE
    const stopped = unit.follower.stop()
    await clock.advance(20_000)
    await stopped
    await chain.close()
  })
  const countLogs = () => telemetry.logs.filter(({ message }) => message === 'chain 1 is unreachable').length
  return {
    clock,
    unit,
    countLogs,
    gauge: () => telemetry.valueOf('drover_chain_state', { chainId: CHAIN_ID, state: 'unreachable' }),
    setDelay: (next: Delay) => {
      delay = next
    },
  }
}

interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

const toHex = (value: number) => `0x${value.toString(16)}`
const hashAt = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const blockAt = (number: number) => ({
  number: toHex(number),
  hash: hashAt(number),
  parentHash: hashAt(number - 1),
  timestamp: toHex(number),
  transactions: [],
})

test.each([
  { blockMs: 12_000, withinMs: 7_500 },
  { blockMs: 1_000, withinMs: 5_000 },
])(
  'a node that stops answering, with blocks of $blockMs ms: health, gauge and log name it at any moment of the poll',
  async ({ blockMs, withinMs }) => {
    for (let offsetMs = 0; offsetMs < 3_000; offsetMs += 375) {
      const { clock, unit, setDelay, gauge, countLogs } = setUp({ blockMs })
      await clock.advance(WARM_UP_MS + offsetMs)
      expect([unit.watch.health().state, gauge()]).toEqual(['ok', 0])
      setDelay(() => NEVER)
      await clock.advance(withinMs)
      expect(unit.watch.health()).toMatchObject({
        state: 'unreachable',
        message: expect.stringContaining('(no answer for 3 s)'),
      })
      expect([gauge(), countLogs()]).toEqual([1, 1])
      // Lanes move when half a lease is over, not when the request ends.
      expect(unit.watch.isReachable()).toBe(true)
      await clock.advance(5_500)
      expect(unit.watch.isReachable()).toBe(false)
      setDelay(AT_ONCE)
      await clock.advance(40_000)
      expect([unit.watch.health().state, unit.watch.isReachable()]).toEqual(['ok', true])
    }
  },
)

test.each([
  ['the head', 'eth_blockNumber'],
  ['a block', 'eth_getBlockByNumber'],
])('a node that is slow for %s only is not named', async (_, slow) => {
  const { clock, unit, setDelay, gauge, countLogs } = setUp()
  await clock.advance(WARM_UP_MS)
  let left = 1
  setDelay((_host, methods) => (methods.includes(slow) && left-- > 0 ? 6_000 : 0))
  for (let step = 0; step < 300; step++) {
    await clock.advance(100)
    expect([unit.watch.health().state, gauge()]).toEqual(['ok', 0])
  }
  expect(left).toBeLessThan(1)
  expect(countLogs()).toBe(0)
})

test('one of two nodes hangs: the other one answers, so it is not said that none does', async () => {
  const { clock, unit, setDelay, gauge } = setUp({ hosts: ['one.example', 'two.example'] })
  await clock.advance(WARM_UP_MS)
  setDelay((host) => (host === 'one.example' ? NEVER : 0))
  for (let step = 0; step < 300; step++) {
    await clock.advance(100)
    expect([unit.watch.health().state, gauge()]).toEqual(['ok', 0])
  }
})
