/** Nonces that a revoked API key reserved and did not use go back; those it used are followed to their end. */
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { Store } from '../../ports/store.ts'

export function createReleaseKey(store: Pick<Store, 'orderReservations'>) {
  return async (keyId: string, by: OperatorAct): Promise<void> => {
    await store.orderReservations({ type: 'release', filter: { keyId }, cause: 'key_revoked', by })
  }
}
