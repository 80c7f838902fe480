/**
 * Reservations whose holders reported transactions that no RPC node knows. A known transaction of another account or
 * nonce counts as unknown: it can never use this nonce.
 */
import type { Lane } from '../../core/lane/lane.ts'
import type { Reservation, ReservationId } from '../../core/lane/reservation.ts'
import type { Chain } from '../../ports/chain.ts'

/** Throws ChainUnavailable if no node responds. */
export async function findUnknown(
  chain: Pick<Chain, 'findTransactionsAnywhere'>,
  lane: Lane,
  reservations: readonly Pick<Reservation, 'id' | 'nonce' | 'hashes'>[],
): Promise<ReadonlySet<ReservationId>> {
  const named = reservations.filter(({ hashes }) => hashes.length > 0)
  if (named.length === 0) return new Set()
  const found = await chain.findTransactionsAnywhere(named.flatMap(({ hashes }) => hashes))
  const known = new Map(found.flatMap((tx) => (tx === null ? [] : [[tx.hash, tx] as const])))
  const isRight = (nonce: number | null) => (hash: `0x${string}`) => {
    const tx = known.get(hash)
    return tx !== undefined && tx.from === lane.signer && tx.nonce === nonce
  }
  return new Set(named.filter(({ nonce, hashes }) => !hashes.some(isRight(nonce))).map(({ id }) => id))
}
