/** What it means that the nonce cursor of a lane does not fit what the chain counts. */
import { formatCount } from '../format/format-amount.ts'

/** What to do about it. */
export function adviseOnDrift(drift: number): string {
  return drift < 0
    ? 'Find out what else sends with this key, and stop it.'
    : 'Fill the gap with empty transactions: `drover signer fill-gap`.'
}

/** Null: it fits. */
export function describeDrift(drift: number): string | null {
  if (drift === 0) return null
  const count = Math.abs(drift)
  const nonces = count === 1 ? '1 nonce' : `${formatCount(count)} nonces`
  return drift < 0
    ? `the chain is ${nonces} ahead: something else uses this key`
    : `${nonces} below the next one ${count === 1 ? 'is' : 'are'} neither used nor reserved`
}
