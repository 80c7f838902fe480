/** Remembers failures that only one node has seen, until another head shows the same. */
import type { Hash } from '../../core/hex.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { HeadRef } from '../../ports/chain.ts'

export interface Verdicts {
  /**
   * Whether the same failure was seen at an earlier head. Always false without a head: a node that follows nothing
   * proves nothing.
   */
  isRepeated(txId: TxId, failure: string, head: HeadRef | null): boolean
}

/** A forgotten failure only has to be seen twice again. */
const MOST = 1_000

export function createVerdicts(): Verdicts {
  const seen = new Map<TxId, { readonly failure: string; readonly head: Hash }>()
  return {
    isRepeated: (txId, failure, head) => {
      if (head === null) return false
      const before = seen.get(txId)
      if (before?.failure === failure) return before.head !== head.hash
      seen.delete(txId)
      seen.set(txId, { failure, head: head.hash })
      const [oldest] = seen.keys()
      if (seen.size > MOST && oldest !== undefined) seen.delete(oldest)
      return false
    },
  }
}
