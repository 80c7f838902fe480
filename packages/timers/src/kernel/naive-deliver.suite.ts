/**
 * Delivery written straight from the rules, for tests to compare with: it looks at every record, sorts everything at
 * every block and shares no ordering, matching or selection code with the kernel.
 */

import type { Hex } from './bytes/hex.ts'
import type { DeliverBlock, Delivery } from './deliver/deliver.ts'
import { deliverIdOf } from './deliver/deliver-id.ts'
import type { Mutation } from './deliver/list-mutations.ts'
import type { MailboxEntry } from './deliver/mailbox-entry.ts'
import type { TimerParams } from './params/timer-params.ts'
import type { Eviction } from './ready/eviction.ts'
import type { Timer, WatchTimer } from './state/timer.ts'
import type { TimerState } from './state/timer-state.ts'

type Due = Timer & { dueHeight: bigint }

export function deliverNaively(state: TimerState, block: DeliverBlock): Omit<Delivery, 'derived' | 'work'> {
  const { height: h, params } = block
  const { timers, matchedIds, carried } = wakeAll(state, block)
  const evictions: Eviction[] = []
  const candidates: Due[] = []
  const due = timers.filter((t): t is Due => t.dueHeight !== null && t.dueHeight <= h && t.createdHeight < h)
  due.sort((a, b) => by(a.target, b.target) || by(a.timerId, b.timerId))
  for (const t of due) {
    if (state.isolated.get(t.timerId) === h || t.gasLimit > params.timerLaneCycles) continue
    if (t.gasLimit < params.minGasLimitPerTimer) evictions.push(evict(t, 'gas_below_minimum'))
    else if (state.targets !== null && !state.targets.has(t.target)) evictions.push(evict(t, 'target_gone'))
    else candidates.push(t)
  }

  const walk = rotate(state, candidates, h, params)
  const fires: Placed[] = []
  const spent = new Map<Hex, bigint>()
  let gas = 0n
  for (const placed of walk) {
    const { t } = placed
    if (fires.length === params.maxFiresPerBlock) break
    if (block.funds !== undefined) {
      const price = [t.bidFp, params.maxBid].sort(by)[0] ?? 0n
      const tip = (price * t.gasLimit) / 2n ** 96n
      const escrow = t.gasLimit * block.funds.basefeeCycles + params.maxCellsPerFire * block.funds.basefeeCells + tip
      const before = spent.get(t.owner) ?? 0n
      if (before + escrow > block.funds.balanceOf(t.owner)) {
        evictions.push(evict(t, 'owner_unfunded'))
        continue
      }
      if (gas + t.gasLimit > params.timerLaneCycles) break
      spent.set(t.owner, before + escrow)
    } else if (gas + t.gasLimit > params.timerLaneCycles) break
    gas += t.gasLimit
    fires.push(placed)
  }
  const selection = fires.map(({ t }) => t.target)
  fires.sort(
    (a, b) =>
      a.bucket - b.bucket ||
      a.k - b.k ||
      by(a.cursor, b.cursor) ||
      by(a.t.fifoRank, b.t.fifoRank) ||
      by(a.t.timerId, b.t.timerId),
  )
  const fired = fires.map(({ t }) => t)
  const gone = new Set([...fired, ...evictions].map((x) => x.timerId))
  const pended = timers.filter((t): t is WatchTimer & Due => matchedIds.has(t.timerId) && !gone.has(t.timerId))
  pended.sort((a, b) => by(a.timerId, b.timerId))
  return {
    chainId: state.chainId,
    height: h,
    params,
    entries: fired.map((t) => entryOf(state, block, t)),
    mutations: [
      ...fired.map((t) => afterFire(t, h)),
      ...pended.map(
        (t): Mutation => ({
          type: 'watch.pended',
          timerId: t.timerId,
          dueHeight: t.dueHeight,
          matched: t.matched ?? { keys: [], truncated: false },
        }),
      ),
      ...[...new Set(fired.map((t) => t.target))].sort(by).map((target): Mutation => {
        const place = selection.lastIndexOf(target) + 1
        return { type: 'cursor.moved', target, cursor: h * 2n ** 32n + BigInt(place) }
      }),
    ],
    evictions,
    carried,
  }
}

interface Placed {
  readonly t: Due
  readonly k: number
  readonly score: bigint
  readonly bucket: number
  readonly cursor: bigint
}

function rotate(state: TimerState, candidates: readonly Due[], h: bigint, params: TimerParams): Placed[] {
  const placed = candidates.map((t): Placed => {
    const age = h > t.dueHeight ? h - t.dueHeight : 0n
    const bid = [params.minBid, t.bidFp, params.maxBid].sort(by)[1] ?? 0n
    return {
      t,
      k: 0,
      score: params.wAge * age + params.wBid * bid + params.wFifo * t.fifoRank,
      bucket: params.bucketBounds.length - params.bucketBounds.filter((bound) => bound <= t.bidFp).length,
      cursor: state.cursors.get(t.target) ?? 0n,
    }
  })
  placed.sort(totalOrder)
  const lists = new Map<Hex, Placed[]>()
  const foreign = new Map<Hex, number>()
  for (const p of placed) {
    const { target, owner } = p.t
    if (owner !== target) {
      const used = foreign.get(target) ?? 0
      if (used >= Math.floor((params.maxFiresPerTarget + 1) / 2)) continue
      foreign.set(target, used + 1)
    }
    const list = lists.get(target) ?? []
    list.push({ ...p, k: list.length })
    lists.set(target, list)
  }
  const walk = [...lists.values()].flat().filter((p) => p.k < params.maxFiresPerTarget)
  return walk.sort((a, b) => a.k - b.k || totalOrder(a, b))
}

function totalOrder(a: Placed, b: Placed): number {
  return (
    by(b.score, a.score) ||
    by(a.bucket, b.bucket) ||
    by(a.cursor, b.cursor) ||
    by(a.t.dueHeight, b.t.dueHeight) ||
    by(a.t.target, b.t.target) ||
    by(a.t.fifoRank, b.t.fifoRank) ||
    by(BigInt(a.t.timerId), BigInt(b.t.timerId))
  )
}

/** Every record after this block's matches. */
function wakeAll(state: TimerState, block: DeliverBlock) {
  const { height: h, params } = block
  const records = [...state.timers.values()]
  const fresh = [...new Set(block.modifiedKeys)].map((key) => key.toLowerCase() as Hex).sort(by)
  const queue = [...state.carriedKeys, ...fresh.filter((key) => !state.carriedKeys.includes(key))]
  const looked = queue.map((key) => ({
    key,
    ids: records.filter((t) => t.createdHeight < h && watches(t, key)).map((t) => t.timerId),
  }))
  const wanted = looked.filter(({ ids }) => ids.length > 0)
  let total = 0
  let taken = 0
  for (const { ids } of wanted) {
    if (taken > 0 && total + ids.length > params.maxWatchMatchesPerBlock) break
    total += ids.length
    taken += 1
  }
  // Behind the key that did not fit, carried keys stay unlooked at; of the block's own only watched ones are kept.
  const stop = taken === wanted.length ? looked.length : looked.indexOf(wanted[taken] as (typeof looked)[number])
  const rest = looked
    .slice(stop)
    .filter(({ key, ids }) => ids.length > 0 || state.carriedKeys.includes(key))
    .map(({ key }) => key)
  const dropped = rest.slice(params.maxCarryKeys)
  const matchedIds = new Set(wanted.slice(0, taken).flatMap(({ ids }) => ids))
  const timers = records.map((t): Timer => {
    if (t.kind !== 'STATE_WATCH' || !matchedIds.has(t.timerId)) return t
    const hits = wanted.slice(0, taken).filter(({ ids }) => ids.includes(t.timerId))
    const keys = [...new Set([...(t.matched?.keys ?? []), ...hits.map(({ key }) => key)])].sort(by)
    const truncated = keys.length > params.maxMatchedKeys || t.matched?.truncated === true
    return { ...t, dueHeight: t.dueHeight ?? h, matched: { keys: keys.slice(0, params.maxMatchedKeys), truncated } }
  })
  const clipped = dropped.length > 0 ? { height: h, droppedKeys: dropped } : null
  return { timers, matchedIds, carried: { keys: rest.slice(0, params.maxCarryKeys), clipped } }
}

function watches(t: Timer, key: Hex): boolean {
  return t.kind === 'STATE_WATCH' && t.watchKeys.some((prefix) => key.startsWith(prefix))
}

function entryOf(state: TimerState, block: DeliverBlock, t: Due): MailboxEntry {
  const { height, parentStateRoot } = block
  return {
    deliverId: deliverIdOf({ chainId: state.chainId, height, parentStateRoot, timerId: t.timerId, fireSeq: t.fireSeq }),
    height,
    timerId: t.timerId,
    fireSeq: t.fireSeq,
    owner: t.owner,
    target: t.target,
    payloadSnapshot: t.payload,
    gasLimitSnapshot: t.gasLimit,
    bidSnapshot: t.bidFp,
    triggerCtx: { kind: t.kind, dueHeight: t.dueHeight, matched: t.kind === 'STATE_WATCH' ? t.matched : null },
  }
}

function afterFire(t: Due, h: bigint): Mutation {
  const { timerId } = t
  if (t.kind === 'HEIGHT') return { type: 'timer.spent', timerId }
  if (t.fireSeq === 2 ** 32 - 1) return { type: 'timer.retired', timerId, reason: 'fire_seq_exhausted' }
  if (t.kind === 'STATE_WATCH') return { type: 'watch.cleared', timerId, fireSeq: t.fireSeq + 1 }
  const dueHeight = h + BigInt(t.everyBlocks)
  if (dueHeight >= 2n ** 64n) return { type: 'timer.retired', timerId, reason: 'height_exhausted' }
  return { type: 'timer.rescheduled', timerId, fireSeq: t.fireSeq + 1, dueHeight }
}

function evict({ timerId, owner, target, fireSeq }: Timer, type: Eviction['type']): Eviction {
  return { type, timerId, owner, target, fireSeq }
}

function by<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
