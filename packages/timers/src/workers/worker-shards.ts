/**
 * Optional: shards of a delivery in worker threads (R24), for Node only. Nothing else in this package imports it.
 *
 * Each worker keeps the timers of its targets and their ready index; the main thread keeps the whole state, matches
 * watches, and merges. A delivery sends each worker what changed since the last one, then pulls candidates in batches
 * until the block is full, so a worker never sends its backlog. The result equals `deliver` to the byte. The same file
 * runs on both sides: loaded in a worker it serves a shard.
 */
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { assembleDelivery, checkBlock, type DeliverBlock, type Delivery } from '../kernel/deliver.ts'
import type { Eviction } from '../kernel/eviction.ts'
import { gatherCandidates } from '../kernel/gather-candidates.ts'
import { compareHex, type Hex } from '../kernel/hex.ts'
import { matchWatches } from '../kernel/match-watches.ts'
import { mergeShards } from '../kernel/merge-shards.ts'
import { diffMaps, type OrderedMap } from '../kernel/ordered-map.ts'
import { shardOf } from '../kernel/ready-index.ts'
import { type Ranked, walkShard } from '../kernel/ready-shard.ts'
import { type Replacement, replaceTimers } from '../kernel/replace-timers.ts'
import { createFireSelector } from '../kernel/select-fires.ts'
import type { Timer } from '../kernel/timer.ts'
import type { TimerParams } from '../kernel/timer-params.ts'
import { createTimerState, type TimerState } from '../kernel/timer-state.ts'

const BATCH = 256
const ROLE = 'drover-timer-shard'

export interface WorkerShards {
  /** Like `deliver`; one at a time. */
  deliver(state: TimerState, block: DeliverBlock): Promise<Delivery>
  close(): Promise<void>
}

export interface WorkerShardsOptions {
  readonly shards: number
  /** What each worker loads, where this file itself cannot be; it must import this file. */
  readonly entry?: URL
}

type Pairs<V> = readonly (readonly [Hex, V | undefined])[]

interface OpenRequest {
  readonly type: 'open'
  readonly height: bigint
  readonly params: TimerParams
  /** Forget what was known before. */
  readonly fresh: boolean
  readonly timers: Pairs<Timer>
  readonly cursors: Pairs<bigint>
  readonly isolated: Pairs<bigint>
  /** Null where every address is a target. */
  readonly targets: Pairs<null> | null
}

type Request = OpenRequest | { readonly type: 'pull' }
type Reply = { readonly evictions: readonly Eviction[]; readonly batch: readonly Ranked[] }

export function createWorkerShards({ shards, entry = new URL(import.meta.url) }: WorkerShardsOptions): WorkerShards {
  const workers = Array.from({ length: shards }, () => new Worker(entry, { workerData: ROLE }))
  let synced: TimerState | null = null

  async function deliver(state: TimerState, block: DeliverBlock): Promise<Delivery> {
    checkBlock(state, block, shards)
    const { height, params } = block
    const matches = matchWatches(state, height, block.modifiedKeys, params)
    const woken = [...matches.woken].sort((a, b) => compareHex(a[0], b[0]))
    const seen = { ...state, timers: state.timers.setMany(woken) }
    const known = synced !== null && (synced.targets === null) === (state.targets === null) ? synced : null
    const terms = { height, params, fresh: known === null }
    const requests = splitChanges(known ?? blankLike(state), seen, terms, shards)
    synced = seen
    const opened = await Promise.all(workers.map((worker, shard) => ask(worker, requests[shard] as Request)))
    const batches = opened.map(({ batch }) => batch)
    const selector = createFireSelector(params, block.funds ?? null)
    const merge = mergeShards(shards)
    let step = merge.next()
    while (!step.done) {
      if (step.value.type === 'candidate') {
        if (!selector.offer(step.value.candidate)) break
        step = merge.next([])
        continue
      }
      const { shard } = step.value
      const ready = batches[shard]
      batches[shard] = []
      const worker = workers[shard]
      const batch = ready?.length || worker === undefined ? ready : (await ask(worker, { type: 'pull' })).batch
      step = merge.next(batch ?? [])
    }
    const evictions = opened.flatMap((reply) => reply.evictions)
    evictions.sort((a, b) => compareHex(a.target, b.target) || compareHex(a.timerId, b.timerId))
    return assembleDelivery(state, block, { matches, candidates: { ready: null, evictions }, selector })
  }

  return {
    deliver,
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

function ask(worker: Worker, request: Request): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', answer)
      worker.off('error', fail)
    }
    const answer = (reply: Reply) => {
      settle()
      resolve(reply)
    }
    const fail = (error: Error) => {
      settle()
      reject(error)
    }
    worker.once('message', answer)
    worker.once('error', fail)
    worker.postMessage(request)
  })
}

/** What changed between two states, dealt out by target. */
function splitChanges(
  before: TimerState,
  after: TimerState,
  terms: Pick<OpenRequest, 'height' | 'params' | 'fresh'>,
  shards: number,
): OpenRequest[] {
  const ownerOf = (id: Hex) => (after.timers.get(id) ?? before.timers.get(id))?.target ?? id
  const split = <V>(
    a: OrderedMap<Hex, V>,
    b: OrderedMap<Hex, V>,
    targetOf: (key: Hex) => Hex,
  ): [Hex, V | undefined][][] => {
    const parts = Array.from({ length: shards }, (): [Hex, V | undefined][] => [])
    diffMaps(a, b, (key, _, value) => parts[shardOf(targetOf(key), shards)]?.push([key, value]))
    return parts
  }
  const self = (target: Hex) => target
  const timers = split(before.timers, after.timers, ownerOf)
  const cursors = split(before.cursors, after.cursors, self)
  const isolated = split(before.isolated, after.isolated, ownerOf)
  const targets = after.targets === null || before.targets === null ? null : split(before.targets, after.targets, self)
  return Array.from({ length: shards }, (_, shard) => ({
    type: 'open',
    ...terms,
    timers: timers[shard] ?? [],
    cursors: cursors[shard] ?? [],
    isolated: isolated[shard] ?? [],
    targets: targets?.[shard] ?? null,
  }))
}

function blankLike(state: TimerState): TimerState {
  return createTimerState({ chainId: state.chainId, targets: state.targets === null ? 'any' : 'known' })
}

/** The worker's side: one shard's timers, and the walk over them that is under way. */
function serveShard(port: MessagePort): void {
  let state: TimerState | null = null
  let evicted: readonly Eviction[] = []
  let walk: Generator<Ranked, void, undefined> | null = null
  port.on('message', (request: Request) => {
    if (request.type === 'pull') {
      port.postMessage({ evictions: [], batch: takeBatch(walk) } satisfies Reply)
      return
    }
    const { height, params } = request
    const blank = createTimerState({ chainId: 0n, targets: request.targets === null ? 'any' : 'known' })
    const next = applyChanges(state === null || request.fresh ? blank : state, request, evicted)
    const { ready, evictions } = gatherCandidates(next, new Map(), { height, params, shards: 1 })
    state = { ...next, ready, goneTargets: blank.goneTargets }
    evicted = evictions
    const [shard] = ready.shards
    walk = shard === undefined ? null : walkShard(shard, params.maxFiresPerTarget)
    port.postMessage({ evictions, batch: takeBatch(walk) } satisfies Reply)
  })
}

function takeBatch(walk: Generator<Ranked, void, undefined> | null): Ranked[] {
  const batch: Ranked[] = []
  while (walk !== null && batch.length < BATCH) {
    const next = walk.next()
    if (next.done) break
    batch.push(next.value)
  }
  return batch
}

/**
 * Brings a shard up to date. Its ready index is made anew after a rewind, when it is of the future, and where the
 * evictions it already took out were not carried through.
 */
function applyChanges(state: TimerState, request: OpenRequest, evicted: readonly Eviction[]): TimerState {
  const removed = new Set(listRemoved(request.timers).map(([id]) => id))
  const current = state.ready !== null && state.ready.height < request.height
  const ready = current && evicted.every(({ timerId }) => removed.has(timerId)) ? state.ready : null
  const cursors = patchMap(state.cursors, request.cursors)
  const isolated = patchMap(state.isolated, request.isolated)
  const targets = state.targets === null || request.targets === null ? null : patchMap(state.targets, request.targets)
  const goneTargets = patchMap(state.goneTargets, listRemoved(request.targets ?? []))
  const changed = new Map(request.timers)
  // A timer that was set free, or held back, has a place to change though its record did not.
  for (const [id] of request.isolated) if (!changed.has(id)) changed.set(id, state.timers.get(id))
  const steps = [...changed].map(
    ([id, after]): Replacement => ({ before: state.timers.get(id) ?? null, after: after ?? null }),
  )
  const moved = request.cursors.map(([target]) => target)
  return replaceTimers({ ...state, ready, cursors, isolated, targets, goneTargets }, steps, moved)
}

function listRemoved<V>(changes: Pairs<V>): (readonly [Hex, null])[] {
  return changes.flatMap(([key, value]) => (value === undefined ? [[key, null] as const] : []))
}

function patchMap<V>(map: OrderedMap<Hex, V>, changes: Pairs<V>): OrderedMap<Hex, V> {
  return changes.reduce((next, [key, value]) => (value === undefined ? next.delete(key) : next.set(key, value)), map)
}

if (!isMainThread && workerData === ROLE && parentPort !== null) serveShard(parentPort)
