/**
 * Whether a lane's cursor matches the chain's count. Every nonce from the chain's count up to the cursor must be
 * accounted for: by a transaction, by a reservation, or by the list of free ones. If the chain is past the cursor, or a
 * nonce is unaccounted for, something outside of Drover used the key, or a record is missing.
 */
export interface DriftScene {
  /** Null until the first nonce is taken. */
  readonly cursor: number | null
  readonly latest: number
  readonly held: Iterable<number>
}

/** 0: it matches. Below zero: how far the chain is past the cursor. Above: how many nonces are unaccounted for. */
export function findDrift({ cursor, latest, held }: DriftScene): number {
  if (cursor === null) return 0
  if (latest > cursor) return cursor - latest
  const between = new Set([...held].filter((nonce) => nonce >= latest && nonce < cursor))
  return cursor - latest - between.size
}
