/** A fill: an empty transaction of the lane's own that uses up a free nonce below ones already sent. */
import type { Intent } from './transaction.ts'

/** Above any priority that a caller may request: transactions behind a gap cannot be mined before it is closed. */
export const FILL_PRIORITY = 1_000_000

/** An empty transfer costs this much gas. */
export const NOOP_GAS = 21_000n

export function isFill(intent: Pick<Intent, 'priority'>): boolean {
  return intent.priority === FILL_PRIORITY
}

/** A fill for one specific nonce: an operator ordered it for a nonce that was taken from its holder. */
export function fillsOrdered(
  intent: Pick<Intent, 'priority' | 'exactNonce'>,
): intent is Pick<Intent, 'priority' | 'exactNonce'> & { readonly exactNonce: number } {
  return isFill(intent) && intent.exactNonce !== undefined
}
