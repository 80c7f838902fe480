/** Checks the transactions that nonce holders report: any hash can be reported, but it must use that nonce to count. */
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface NamedHashes {
  /** False also if that is not known yet: then it is looked up and reported. */
  isRight(reservation: Reservation, hash: Hash): boolean
  isWrong(id: ReservationId, hash: Hash): boolean
  /** Forgets all hashes that these do not report. */
  keepOnly(reservations: readonly Reservation[]): void
}

interface NamedHashPorts {
  readonly chain: Pick<Chain, 'findTransaction'>
  readonly telemetry: Telemetry
  readonly lane: Lane
  /** Right, wrong, or unknown for now: then it has to be looked up again. */
  onVerdict(id: ReservationId, hash: Hash, verdict: 'right' | 'wrong' | 'unknown'): void
}

type Key = `${ReservationId}:${Hash}`

export function createNamedHashes({ chain, telemetry, lane, onVerdict }: NamedHashPorts): NamedHashes {
  const known = new Map<Key, 'checking' | 'right' | 'wrong'>()

  async function check({ id, nonce }: Reservation, hash: Hash): Promise<void> {
    const found = await chain.findTransaction(hash)
    if (found === null) {
      known.delete(`${id}:${hash}`)
      return onVerdict(id, hash, 'unknown')
    }
    const verdict = found.from === lane.signer && found.nonce === nonce ? 'right' : 'wrong'
    known.set(`${id}:${hash}`, verdict)
    if (verdict === 'wrong')
      telemetry.log('warn', 'a holder reported a transaction with another nonce', { ...lane, id, hash, nonce })
    onVerdict(id, hash, verdict)
  }

  return {
    isRight: (reservation, hash) => {
      const key: Key = `${reservation.id}:${hash}`
      const verdict = known.get(key)
      if (verdict !== undefined) return verdict === 'right'
      known.set(key, 'checking')
      check(reservation, hash).catch((error: unknown) => {
        known.delete(key)
        telemetry.log('warn', 'could not check a hash that a holder reported; retrying', { ...lane, error })
        onVerdict(reservation.id, hash, 'unknown')
      })
      return false
    },
    isWrong: (id, hash) => known.get(`${id}:${hash}`) === 'wrong',
    keepOnly: (reservations) => {
      const named = new Set<string>(reservations.flatMap(({ id, hashes }) => hashes.map((hash) => `${id}:${hash}`)))
      for (const key of known.keys()) if (!named.has(key)) known.delete(key)
    },
  }
}
