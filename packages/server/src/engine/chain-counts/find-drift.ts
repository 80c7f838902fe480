/**
 * Whether a lane's cursor fits what the chain counts. Every nonce from the chain's count up to the cursor must be held by
 * somebody: a transaction, a caller that was reserved it, or the list of free ones. If the chain is past the cursor, or there
 * are nonces that nobody holds, something outside of Drover used the key, or a record is missing.
 */
export interface DriftScene {
  /** Null until the first nonce is taken. */
  readonly cursor: number | null
  readonly latest: number
  readonly held: Iterable<number>
}

/** 0: it fits. Below zero: the chain is past the cursor by so much. Above: so many nonces under it are nobody's. */
export function findDrift({ cursor, latest, held }: DriftScene): number {
  if (cursor === null) return 0
  if (latest > cursor) return cursor - latest
  const between = new Set([...held].filter((nonce) => nonce >= latest && nonce < cursor))
  return cursor - latest - between.size
}
