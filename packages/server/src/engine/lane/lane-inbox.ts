/**
 * What waits for a lane's next cycle. While the store is unavailable signals keep arriving, so a signal that only
 * repeats an earlier one replaces it: the inbox grows with what is in flight, never with time.
 */
import type { LaneSignal } from './lane-runner.ts'

/** Of the unprocessed blocks, the newest are kept. */
const MAX_BLOCKS = 64
/** Above this, the lane is loaded as a whole. */
const MAX_AMENDED = 100

export interface LaneInbox {
  put(signal: LaneSignal): void
  isEmpty(): boolean
  /** It holds more than the news that nodes took what was sent. */
  isUrgent(): boolean
  takeAll(): readonly LaneSignal[]
  /** Taken, but not processed: they come before what has arrived since. */
  putBack(signals: readonly LaneSignal[]): void
}

export function createLaneInbox(): LaneInbox {
  let waiting = new Map<string, LaneSignal>()
  let count = 0

  function put(signal: LaneSignal): void {
    const key = repeatKey(signal) ?? `${count++}`
    const earlier = waiting.get(key)
    // At the end, not in its old place: a look at the chain has to come after the inclusions that it judges.
    waiting.delete(key)
    waiting.set(key, earlier === undefined ? signal : merge(earlier, signal))
  }

  function takeAll(): readonly LaneSignal[] {
    const taken = [...waiting.values()]
    waiting = new Map()
    return taken
  }

  return {
    put,
    isEmpty: () => waiting.size === 0,
    isUrgent: () => {
      for (const signal of waiting.values()) if (!isAcceptance(signal)) return true
      return false
    },
    takeAll,
    putBack: (signals) => {
      for (const signal of [...signals, ...takeAll()]) put(signal)
    },
  }
}

function isAcceptance(signal: LaneSignal): boolean {
  if (signal.type !== 'answers') return false
  return signal.answers.every(({ outcome: { type } }) => type === 'accepted' || type === 'already_known')
}

/** Equal for signals where the later one includes everything the earlier one said; null if each counts. */
function repeatKey(signal: LaneSignal): string | null {
  switch (signal.type) {
    case 'work':
    case 'amended':
    case 'policy.changed':
    case 'keys.changed':
    case 'asked':
    case 'counts':
    case 'tick':
    case 'chain':
    case 'health':
      return signal.type
    case 'preconfirmed':
    case 'preconfirmation.lost':
      return `preconfirmation:${signal.txId}`
    case 'deep':
    case 'withdrawn':
      return `${signal.type}:${signal.txId}:${signal.blockHash}`
    case 'nonce.lost':
      return `${signal.type}:${signal.txId}:${signal.nonce}`
    case 'expired':
      return `${signal.type}:${signal.transactions.map((tx) => tx.id).join()}`
    default:
      return null
  }
}

/** The later signal, plus what only the earlier one said. */
function merge(earlier: LaneSignal, later: LaneSignal): LaneSignal {
  if (earlier.type === 'chain' && later.type === 'chain') {
    const forks = [earlier.forkFrom, later.forkFrom].filter((fork) => fork !== null)
    const added = [...(earlier.added ?? []), ...(later.added ?? [])].slice(-MAX_BLOCKS)
    return { ...later, forkFrom: forks.length === 0 ? null : Math.min(...forks), added }
  }
  if (earlier.type === 'amended' && later.type === 'amended') {
    if (earlier.txIds === null || later.txIds === null) return { type: 'amended', txIds: null }
    const txIds = [...new Set([...earlier.txIds, ...later.txIds])]
    return { type: 'amended', txIds: txIds.length > MAX_AMENDED ? null : txIds }
  }
  return later
}
