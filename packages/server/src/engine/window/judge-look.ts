/** What a look at a node's pool says about bytes that were sent and accepted. */
import type { PoolLook } from '../../ports/chain.ts'
import type { SentRun } from './sent-run.ts'

export type Verdict =
  | { readonly type: 'all_kept' }
  /** From this nonce on they cannot be mined: missing, or behind a missing one. `kept`: null if the node hides it. */
  | { readonly type: 'missing'; readonly from: number; readonly kept: number | null }
  /** The node is behind, or a nonce below is missing that is not ours. */
  | { readonly type: 'unclear' }

export function judgeLook({ lowest, highest }: SentRun, { latest, pending, knows }: PoolLook): Verdict {
  const count = Math.max(latest, pending)
  if (count > highest) return { type: 'all_kept' }
  if (count > lowest) return { type: 'missing', from: count, kept: count - lowest }
  const [knowsLowest = false, knowsHighest = false] = knows
  // Some nodes report the latest count as the pending one: those are queried by hash.
  if (knowsLowest && knowsHighest) return { type: 'all_kept' }
  if (knowsLowest) return { type: 'missing', from: lowest + 1, kept: null }
  return count === lowest ? { type: 'missing', from: lowest, kept: 0 } : { type: 'unclear' }
}
