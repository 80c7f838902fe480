/** Whether a write assigns nonces, which a paused lane must not do. */
import { isInFlight } from '../../core/transaction/transaction.ts'
import type { LaneWrite } from '../../ports/lane-write.ts'

export function takesNonces({ saves, reservations }: Pick<LaneWrite, 'saves' | 'reservations'>): boolean {
  return (
    saves.some(({ before, tx }) => before.state === 'QUEUED' && isInFlight(tx)) ||
    reservations.some(({ locks }) => locks)
  )
}
