/** Why a lane sends as far ahead as it does, in a few words. */
import type { LaneResource } from '../api/api-resources.ts'

type Reason = NonNullable<LaneResource['window']>['reason']

const WORDS: Readonly<Record<Reason, string>> = {
  start: 'growing',
  all_kept: 'growing',
  at_limit: 'the most its policy allows',
  pool_full: 'the mempool is full',
  dropped: 'RPC nodes keep no more',
  nonce_gap: 'RPC nodes accept no more ahead',
  delegated: 'delegated account',
}

export function nameWindowReason(reason: Reason): string {
  return WORDS[reason]
}
