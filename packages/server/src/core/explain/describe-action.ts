/** What an operator's action would do to this very transaction, in words. Meaningful only where the action is allowed. */
import type { OperatorAction } from '../transaction/allowed-actions.ts'
import { nonceOf, type Transaction } from '../transaction/transaction.ts'

export function describeAction(action: OperatorAction, tx: Transaction): string {
  const nonce = nonceOf(tx)
  switch (action) {
    case 'suspend':
      return nonce === null
        ? 'holds it back; it takes no nonce, and those behind it in line go first'
        : `sends nothing more for nonce ${nonce} until it is resumed; it is still watched, and higher nonces wait for it`
    case 'resume':
      return describeResume(tx, nonce)
    case 'retry':
      return nonce === null
        ? 'prepares it again as soon as its turn comes, without waiting for the next try'
        : `sends the same bytes of nonce ${nonce} again at once and starts its waiting time anew`
    case 'cancel':
      return nonce === null
        ? 'drops it at once; it has no nonce'
        : `puts an empty transaction in place of nonce ${nonce}; whichever of the two is mined counts`
    case 'resolve':
      return `looks up the final transaction that used nonce ${nonce} and, if it did the same, ends it as that one ended`
    case 'requeue':
      return `puts it back in line for a new nonce; its own bytes can never be mined, as nonce ${nonce} is used`
    case 'close':
      return 'ends it as CANCELLED (replaced); nothing more is sent'
    case 'speed-up':
      return `signs nonce ${nonce} again at a higher price; whichever is mined counts`
  }
}

function describeResume(tx: Transaction, nonce: number | null): string {
  if (nonce === null) return 'puts it back in line at its old place'
  if ('inclusion' in tx && tx.inclusion !== null) {
    return `lets nonce ${nonce} be sent again should its block leave the chain`
  }
  return tx.state === 'STUCK'
    ? `sends the same bytes of nonce ${nonce} again at once; it stays STUCK until a node or a block takes them`
    : `sends the same bytes of nonce ${nonce} again at once`
}
