/** The worker's side: the timers of one shard, and the walk over them in progress. */
import type { MessagePort } from 'node:worker_threads'
import type { Hex } from '../kernel/bytes/hex.ts'
import type { Eviction } from '../kernel/ready/eviction.ts'
import { gatherCandidates } from '../kernel/ready/gather-candidates.ts'
import { type Ranked, walkShard } from '../kernel/ready/ready-shard.ts'
import { type Replacement, replaceTimers } from '../kernel/state/replace-timers.ts'
import { createTimerState, type TimerState } from '../kernel/state/timer-state.ts'
import type { OrderedMap } from '../kernel/tree/ordered-map.ts'
import type { OpenRequest, Pairs, ShardReply, ShardRequest } from './shard-request.ts'

const BATCH = 256

export function serveShard(port: MessagePort): void {
  let state: TimerState | null = null
  let evicted: readonly Eviction[] = []
  let walk: Generator<Ranked, void, undefined> | null = null
  port.on('message', (request: ShardRequest) => {
    if (request.type === 'pull') {
      port.postMessage({ evictions: [], batch: takeBatch(walk) } satisfies ShardReply)
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
    port.postMessage({ evictions, batch: takeBatch(walk) } satisfies ShardReply)
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
  // A timer that was released or held back changes its place even though its record did not change.
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
