/** A fill: an empty transaction of the lane's own, made to use up a nonce that is free below ones already sent. */
import type { Intent } from './transaction.ts'

/** Above whatever a caller may ask for: what waits behind a gap cannot be mined before it is closed. */
export const FILL_PRIORITY = 1_000_000

/** An empty transfer costs this much gas. */
export const NOOP_GAS = 21_000n

export function isFill(intent: Pick<Intent, 'priority'>): boolean {
  return intent.priority === FILL_PRIORITY
}

/** A fill for one nonce and no other: an operator ordered it for a nonce that was taken from its holder. */
export function fillsOrdered(
  intent: Pick<Intent, 'priority' | 'exactNonce'>,
): intent is Pick<Intent, 'priority' | 'exactNonce'> & { readonly exactNonce: number } {
  return isFill(intent) && intent.exactNonce !== undefined
}
