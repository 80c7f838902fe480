/** Times the timer kernel at a million live timers, beside a plain sort of the backlog, and at ten times the backlog. */
import { performance } from 'node:perf_hooks'
import {
  applyDelivery,
  cancelTimer,
  createTimerState,
  DEFAULT_PARAMS,
  type Delivery,
  deliver,
  type Hex,
  readSnapshot,
  restoreTimers,
  setTimeout,
  snapshotTimers,
  type Timer,
  type TimerParams,
  type TimerSnapshot,
  type TimerState,
  timersRoot,
  writeSnapshot,
} from '@drover/timers'

interface Load {
  readonly name: string
  readonly live: number
  readonly actors: number
  readonly waiting: number
  readonly newlyDue: number
}

const HEIGHT = 10_000n
const ROOT: Hex = `0x${'11'.repeat(32)}`
const ROUNDS = 5
const WARM_UP_ROUNDS = 10
const PARAMS: TimerParams = {
  ...DEFAULT_PARAMS,
  timerLaneCycles: 1n << 40n,
  maxTimersPerOwner: 1 << 30,
  maxTimersPerTarget: 1 << 30,
}

const LOADS: readonly Load[] = [
  { name: 'base', live: 1_000_000, actors: 50_000, waiting: 100_000, newlyDue: 10_000 },
  { name: '10x actors, 10x backlog', live: 1_100_000, actors: 500_000, waiting: 1_000_000, newlyDue: 10_000 },
]

export function benchTimers(print: (line: string) => void = console.log): void {
  const rows: string[][] = [['load', 'what', 'median ms', 'best ms', 'best cpu ms', 'MB allocated']]
  for (const load of LOADS) {
    const state = openBacklog(load)
    rows.push(...benchDeliver(load.name, state), ...benchCalls(load.name, state))
    if (load === LOADS[0]) rows.push(...benchStore(load.name, state))
  }
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? []
  for (const row of rows)
    print(
      row
        .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join('  '),
    )
}

function benchDeliver(load: string, warm: TimerState): string[][] {
  const block = { height: HEIGHT + 1n, parentStateRoot: ROOT, modifiedKeys: [], params: PARAMS }
  let delivery: Delivery | null = null
  const delivered = measure(() => {
    delivery = deliver(warm, block)
  })
  const { entries } = delivery as unknown as Delivery
  if (entries.length !== PARAMS.maxFiresPerBlock) throw new Error(`fired ${entries.length}`)
  const applied = measure(() => applyDelivery(warm, delivery as unknown as Delivery))
  const idle = measure(() => deliver({ ...warm, indexHeight: createTimerState({ chainId: 1n }).indexHeight }, block))
  let sorted: Hex[] = []
  const plain = measure(() => {
    sorted = sortBacklog(warm, HEIGHT + 1n)
  }, 1)
  const chosen = new Set(entries.map((entry) => entry.timerId))
  if (!sorted.every((id) => chosen.has(id))) throw new Error('the plain sort chose other timers')
  return [
    [load, 'deliver, 10,000 newly due, 1,000 fires', ...delivered],
    [load, 'deliver, none newly due, 1,000 fires', ...idle],
    [load, 'write back', ...applied],
    [load, 'plain sort of the backlog', ...plain],
  ]
}

/** What a node does once: writes its whole state, reads it back, and computes the root; also shown per timer. */
function benchStore(load: string, state: TimerState): string[][] {
  const once = (what: string, work: () => void): string[] => {
    globalThis.gc?.()
    const clock = process.cpuUsage()
    const ms = time(work)
    const { user, system } = process.cpuUsage(clock)
    const each = ((ms * 1_000) / state.timers.size).toFixed(1)
    return [load, `${what}, ${each} µs a timer`, ms.toFixed(0), ms.toFixed(0), ((user + system) / 1_000).toFixed(0), '']
  }
  let lists: TimerSnapshot | null = null
  let chunks: Uint8Array[] = []
  return [
    once('snapshot as lists', () => {
      lists = snapshotTimers(state)
    }),
    once('restore from lists', () => restoreTimers(lists as unknown as TimerSnapshot)),
    once('snapshot as a stream', () => {
      chunks = [...writeSnapshot(state)]
    }),
    once('restore from a stream', () => readSnapshot(chunks)),
    once('root', () => timersRoot(state)),
  ]
}

/** A state one block before the measured one, with its ready index in place. */
function openBacklog({ live, actors, waiting, newlyDue }: Load): TimerState {
  const timers: Timer[] = []
  const targets = Array.from({ length: actors }, (_, n): Hex => `0x${digits(hash(n), 4)}${digits(n, 16)}`)
  for (let n = 0; n < live; n += 1) {
    const spread = BigInt(hash(n * 3 + 1) % 500)
    const dueHeight = n < waiting ? HEIGHT - spread : n < waiting + newlyDue ? HEIGHT + 1n : HEIGHT + 2n + spread
    const target = targets[hash(n * 7 + 2) % actors] as Hex
    timers.push({
      kind: 'HEIGHT',
      owner: target,
      target,
      timerId: `0x${digits(hash(n), 4)}${digits(n, 28)}`,
      payload: '0x',
      gasLimit: 10_000n,
      bidFp: BigInt(hash(n * 5 + 3)) << 60n, // below MAX_BID, so that the plain sort needs no clamp
      fifoRank: BigInt(n),
      fireSeq: 0,
      version: 1,
      createdHeight: 1n,
      dueHeight,
    })
  }
  const snapshot: TimerSnapshot = {
    chainId: 1n,
    height: HEIGHT - 1n,
    nextRank: BigInt(live),
    timers,
    cursors: [],
    ownerCounters: [],
    nonces: [],
    tombstones: [],
    isolated: [],
    carriedKeys: [],
    targets: null,
  }
  const state = restoreTimers(snapshot)
  const quiet = { ...PARAMS, maxFiresPerBlock: 1 }
  const first = deliver(state, { height: HEIGHT, parentStateRoot: ROOT, modifiedKeys: [], params: quiet })
  return applyDelivery(state, first).state
}

/** What R25 avoids: scoring everything that is due, sorting it, rotating, and taking the first thousand. */
function sortBacklog(state: TimerState, height: bigint): Hex[] {
  const due: { timer: Timer; score: bigint; dueHeight: bigint; cursor: bigint }[] = []
  for (const timer of state.indexHeight.values()) {
    if (timer.dueHeight > height) break
    const score = PARAMS.wAge * (height - timer.dueHeight) + PARAMS.wBid * timer.bidFp
    due.push({ timer, score, dueHeight: timer.dueHeight, cursor: state.cursors.get(timer.target) ?? 0n })
  }
  due.sort((a, b) => {
    if (a.score !== b.score) return a.score > b.score ? -1 : 1
    if (a.cursor !== b.cursor) return a.cursor < b.cursor ? -1 : 1
    if (a.dueHeight !== b.dueHeight) return a.dueHeight < b.dueHeight ? -1 : 1
    if (a.timer.target !== b.timer.target) return a.timer.target < b.timer.target ? -1 : 1
    return a.timer.fifoRank < b.timer.fifoRank ? -1 : 1
  })
  const seen = new Set<Hex>()
  const first = due.filter(({ timer }) => !seen.has(timer.target) && seen.add(timer.target))
  return first.slice(0, PARAMS.maxFiresPerBlock).map(({ timer }) => timer.timerId)
}

function benchCalls(load: string, backlog: TimerState): string[][] {
  const count = 20_000
  const owners = Array.from({ length: 1_000 }, (_, n): Hex => `0x${digits(hash(n), 20)}`)
  let state = backlog
  const ids: [Hex, Hex][] = []
  const height = HEIGHT + 1n
  const set = time(() => {
    for (let n = 0; n < count; n += 1) {
      const caller = owners[n % owners.length] as Hex
      const dueHeight = height + 1n + BigInt(n % 1_000)
      const args = { target: caller, dueHeight, payload: '0x', gasLimit: 10_000n }
      const outcome = setTimeout(state, { caller, height, params: PARAMS }, args)
      if (outcome.type === 'refused') throw new Error(outcome.message)
      state = outcome.state
      ids.push([caller, outcome.timerId])
    }
  })
  const cancel = time(() => {
    for (const [caller, timerId] of ids) {
      const outcome = cancelTimer(state, { caller, height, params: PARAMS }, { target: caller, timerId })
      if (outcome.type === 'refused') throw new Error(outcome.message)
      state = outcome.state
    }
  })
  const rate = (ms: number) => `${Math.round(count / (ms / 1_000)).toLocaleString('en')} per second`
  return [
    [load, `insert: ${rate(set)}`, '', '', '', ''],
    [load, `cancel: ${rate(cancel)}`, '', '', '', ''],
  ]
}

/** Wall time, and CPU time for shared machines. */
function measure(work: () => void, warmUpRounds = WARM_UP_ROUNDS): [string, string, string, string] {
  for (let round = 0; round < warmUpRounds; round += 1) work()
  const times: number[] = []
  let cpu = Number.POSITIVE_INFINITY
  let allocated = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const clock = process.cpuUsage()
    times.push(time(work))
    const { user, system } = process.cpuUsage(clock)
    cpu = Math.min(cpu, (user + system) / 1_000)
    allocated = Math.max(allocated, process.memoryUsage().heapUsed - before)
  }
  times.sort((a, b) => a - b)
  const median = times[times.length >> 1] ?? 0
  const megabytes = globalThis.gc === undefined ? 'needs --expose-gc' : (allocated / 1e6).toFixed(1)
  return [median.toFixed(1), (times[0] ?? 0).toFixed(1), cpu.toFixed(1), megabytes]
}

function time(work: () => void): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

function digits(value: number, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0')
}

/** Spreads small numbers over 32 bits, the same on every run. */
function hash(n: number): number {
  let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
