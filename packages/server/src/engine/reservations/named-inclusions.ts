/** Inclusions of transactions that nonce holders reported. They count once the nonce is known to be the right one. */
import type { Inclusion } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import { createNamedHashes } from './named-hashes.ts'

export interface NamedInclusions {
  /** False also if that is not known yet: then the inclusion returns as a signal. */
  accept(reservation: Reservation, inclusion: Inclusion): boolean
  isWrong(id: ReservationId, hash: Hash): boolean
  /** Forgets all hashes that these do not report. */
  keepOnly(reservations: readonly Reservation[]): void
}

interface NamedInclusionPorts {
  readonly chain: Pick<Chain, 'findTransaction'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly telemetry: Telemetry
  readonly lane: Lane
  readonly retryMs: number
  lookUp(id: ReservationId): void
  post(signal: LaneSignal): void
}

export function createNamedInclusions(ports: NamedInclusionPorts): NamedInclusions {
  const { chain, telemetry, lane } = ports
  const deferred = new Map<Hash, Inclusion>()
  const named = createNamedHashes({ chain, telemetry, lane, onVerdict })

  function onVerdict(id: ReservationId, hash: Hash, verdict: 'right' | 'wrong' | 'unknown'): void {
    const inclusion = deferred.get(hash)
    deferred.delete(hash)
    if (verdict === 'right' && inclusion) ports.post({ type: 'inclusions', inclusions: [{ txId: id, inclusion }] })
    if (verdict === 'wrong') ports.post({ type: 'asked' })
    // Not at once: the node that has the receipt may still not have the transaction.
    if (verdict === 'unknown') ports.clock.schedule(ports.retryMs, () => ports.lookUp(id))
  }

  return {
    accept: (reservation, inclusion) => {
      const isRight = named.isRight(reservation, inclusion.txHash)
      if (!isRight) deferred.set(inclusion.txHash, inclusion)
      return isRight
    },
    isWrong: named.isWrong,
    keepOnly: named.keepOnly,
  }
}
