/** What an operator's action would do to this transaction, in words. Meaningful only if the action is allowed. */
import type { OperatorAction } from '../transaction/allowed-actions.ts'
import { nonceOf, type Transaction } from '../transaction/transaction.ts'

export function describeAction(action: OperatorAction, tx: Transaction): string {
  const nonce = nonceOf(tx)
  switch (action) {
    case 'suspend':
      return nonce === null
        ? 'holds it back: it gets no nonce, and transactions behind it go first'
        : `stops sending nonce ${nonce} until you resume it; Drover still watches it, and higher nonces wait for it`
    case 'resume':
      return describeResume(tx, nonce)
    case 'retry':
      return nonce === null
        ? 'prepares it again as soon as it is its turn, without waiting for the next try'
        : `sends the same bytes of nonce ${nonce} again now and restarts its waiting time`
    case 'cancel':
      return nonce === null
        ? 'cancels it now; it has no nonce yet'
        : `replaces nonce ${nonce} with an empty transaction; whichever is mined counts`
    case 'resolve':
      return `finds the final transaction that used nonce ${nonce}; if it did the same, this one ends with that result`
    case 'requeue':
      return `queues it again for a new nonce; its signed bytes can never be mined because nonce ${nonce} is used`
    case 'close':
      return 'ends it as CANCELLED (replaced); nothing more is sent'
    case 'speed-up':
      return `signs nonce ${nonce} again at a higher price; whichever is mined counts`
  }
}

function describeResume(tx: Transaction, nonce: number | null): string {
  if (nonce === null) return 'puts it back in the queue at its old place'
  if ('inclusion' in tx && tx.inclusion !== null) {
    return `lets Drover send nonce ${nonce} again if its block is reorged out`
  }
  return tx.state === 'STUCK'
    ? `sends the same bytes of nonce ${nonce} again now; it stays STUCK until an RPC node accepts it or it is mined`
    : `sends the same bytes of nonce ${nonce} again now`
}
