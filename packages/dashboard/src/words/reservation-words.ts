/** Reserved nonces in words. */
import type { TakenReservation } from '../api/api-client.ts'
import type { ReservationResource } from '../api/api-resources.ts'

type Alarm = NonNullable<ReservationResource['alarm']>['cause']

const ALARMS: Readonly<Record<Alarm, string>> = {
  unknown_hash: 'no RPC node knows this transaction',
  not_mined: 'not mined, and other transactions wait for it',
  not_used: 'not used, and other transactions wait for it',
}

export function describeAlarm(cause: Alarm): string {
  return ALARMS[cause]
}

export function describeReservation({ state, lockedUntil, fillOrderedAt, inclusion }: ReservationResource): string {
  if (inclusion !== null) return `mined in block ${inclusion.blockNumber}`
  if (fillOrderedAt !== null) return 'being filled with an empty transaction'
  switch (state) {
    case 'REQUESTED':
      return `waiting for a nonce until ${lockedUntil}`
    case 'RESERVED':
      return `reserved until ${lockedUntil}`
    case 'USED':
      return 'sent by its holder'
    default:
      return 'being released'
  }
}

export function summarizeTaken(items: readonly TakenReservation[]): string {
  if (items.length === 0) return 'There were no reserved nonces.'
  const count = (outcome: TakenReservation['outcome']) => items.filter((item) => item.outcome === outcome).length
  const [released, filled, left] = [count('released'), count('filled'), count('left')]
  const why = items.find((item) => item.outcome === 'left')?.why ?? null
  const parts = [
    ...(released > 0 ? [`${released} released`] : []),
    ...(filled > 0 ? [`${filled} being filled`] : []),
    ...(left > 0 ? [`${left} left${why === null ? '' : ` (${why})`}`] : []),
  ]
  return `${parts.join(', ')}.`
}
