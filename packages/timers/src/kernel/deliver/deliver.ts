/**
 * Deliver (§8 to §10): decides which timers fire in a block, purely from the state before it and the block's own data.
 *
 * Nothing is written here (R23). The result says what to materialize, what to evict and what to write back; the chain
 * executes the entries and then calls `applyDelivery` once.
 */

import { compareHex, getExactHex, type Hex } from '../bytes/hex.ts'
import { U64_MAX } from '../bytes/limits.ts'
import type { TimerParams } from '../params/timer-params.ts'
import type { Funds } from '../ready/escrow.ts'
import type { Eviction } from '../ready/eviction.ts'
import { type Candidates, gatherCandidates } from '../ready/gather-candidates.ts'
import { mergeShards } from '../ready/merge-shards.ts'
import type { ReadyIndex } from '../ready/ready-index.ts'
import { walkShard } from '../ready/ready-shard.ts'
import { compareMailboxOrder, createFireSelector, type FireSelector } from '../ready/select-fires.ts'
import type { DueTimer } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import { matchWatches, type WatchClipped, type WatchMatches, type WatchWork } from '../watch/match-watches.ts'
import { deliverIdOf } from './deliver-id.ts'
import { listMutations, type Mutation } from './list-mutations.ts'
import type { MailboxEntry } from './mailbox-entry.ts'

export interface DeliverBlock {
  readonly height: bigint
  readonly parentStateRoot: Hex
  /** ModifiedKeySet(h) of R13, in any order. */
  readonly modifiedKeys: Iterable<string>
  readonly params: TimerParams
  /** Left out where nobody pays for fires. */
  readonly funds?: Funds
  /** Any number gives the same bytes. */
  readonly shards?: number
}

export interface Delivery {
  readonly chainId: bigint
  readonly height: bigint
  readonly params: TimerParams
  readonly entries: readonly MailboxEntry[]
  readonly mutations: readonly Mutation[]
  readonly evictions: readonly Eviction[]
  readonly carried: CarriedKeys
  /** The work of finding the watches, for statistics. */
  readonly work: WatchWork
  /** The ready index as of this block and the timers it was made from, to spare rebuilding it; not part of the result. */
  readonly derived: DerivedIndex | null
}

/** Changed keys that wait for the next block (R15). */
export interface CarriedKeys {
  readonly keys: readonly Hex[]
  readonly clipped: WatchClipped | null
}

/** The ready index and the very records it was made of, so that it can be carried over instead of rebuilt. */
export interface DerivedIndex {
  readonly ready: ReadyIndex
  readonly timers: TimerState['timers']
}

export function deliver(state: TimerState, block: DeliverBlock): Delivery {
  const { height, params, shards = 1 } = block
  checkBlock(state, block, shards)
  const matches = matchWatches(state, height, block.modifiedKeys, params)
  const candidates = gatherCandidates(state, matches.woken, { height, params, shards })
  const selector = createFireSelector(params, block.funds ?? null)
  offerAll(candidates.ready, params, selector)
  return assembleDelivery(state, block, { matches, candidates, selector })
}

/** What the stages before found, whichever thread they ran in. */
interface DeliveryParts {
  readonly matches: WatchMatches
  readonly candidates: { readonly ready: ReadyIndex | null; readonly evictions: Candidates['evictions'] }
  readonly selector: Pick<FireSelector, 'fires' | 'evictions'>
}

/** Turns the selection into entries, mutations and evictions. */
export function assembleDelivery(state: TimerState, block: DeliverBlock, parts: DeliveryParts): Delivery {
  const { height, params } = block
  const { matches, candidates, selector } = parts
  const fired = [...selector.fires]
    .sort(compareMailboxOrder)
    .map(({ ready: { timer } }) => matches.woken.get(timer.timerId) ?? timer)
  const served = selector.fires.map(({ ready: { timer } }) => timer.target)
  const { ready } = candidates
  const evictions = [...candidates.evictions, ...selector.evictions]
  return {
    chainId: state.chainId,
    height,
    params,
    entries: fired.map((timer) => materialize(state.chainId, block, timer)),
    mutations: listMutations(height, fired, matches, evictions, served),
    evictions,
    carried: { keys: matches.carriedKeys, clipped: matches.clipped },
    work: matches.work,
    derived: ready === null ? null : { ready, timers: wakeRecords(state, matches) },
  }
}

/** The records with this block's matches on them, as the ready index holds them. */
function wakeRecords(state: TimerState, { woken }: WatchMatches): TimerState['timers'] {
  return state.timers.setMany([...woken].sort((a, b) => compareHex(a[0], b[0])))
}

/** A caller's mistake, not an outcome: heights only increase and roots have 32 bytes. */
export function checkBlock(state: TimerState, block: DeliverBlock, shards: number): void {
  const { height, parentStateRoot } = block
  if (typeof height !== 'bigint' || height <= state.height || height > U64_MAX)
    throw new RangeError(`cannot deliver ${height} after ${state.height}`)
  getExactHex(parentStateRoot, 32, 'parentStateRoot')
  if (!Number.isSafeInteger(shards) || shards < 1) throw new RangeError('shards must be a whole number from 1')
}

function offerAll(ready: ReadyIndex, params: TimerParams, selector: FireSelector): void {
  const walks = ready.shards.map((shard) => walkShard(shard, params.maxFiresPerTarget))
  const merge = mergeShards(walks.length)
  let step = merge.next()
  while (!step.done) {
    if (step.value.type === 'refill') {
      const next = walks[step.value.shard]?.next()
      step = merge.next(next === undefined || next.done ? [] : [next.value])
    } else {
      if (!selector.offer(step.value.candidate)) return
      step = merge.next([])
    }
  }
}

function materialize(chainId: bigint, block: DeliverBlock, timer: DueTimer): MailboxEntry {
  const { height, parentStateRoot } = block
  const { timerId, fireSeq, owner, target, kind, dueHeight } = timer
  return {
    deliverId: deliverIdOf({ chainId, height, parentStateRoot, timerId, fireSeq }),
    height,
    timerId,
    fireSeq,
    owner,
    target,
    payloadSnapshot: timer.payload,
    gasLimitSnapshot: timer.gasLimit,
    bidSnapshot: timer.bidFp,
    triggerCtx: { kind, dueHeight, matched: timer.kind === 'STATE_WATCH' ? timer.matched : null },
  }
}
