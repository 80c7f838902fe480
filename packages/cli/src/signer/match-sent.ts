/** Which queued transactions are on the chain already: a restored database does not know what was sent after its backup. */
import type { Transaction } from '@drover/client'

/** A transaction of the signer in a block, with a nonce that the database never assigned. */
export interface SentTransaction {
  readonly nonce: number
  readonly hash: string
  readonly blockNumber: number
  readonly to: string | null
  /** In wei. */
  readonly value: string
  readonly data: string
}

export interface Match {
  readonly sent: SentTransaction
  /** The oldest queued one with the same receiver, value and data; null if there is none left. */
  readonly queued: Transaction | null
  /** Why the queued one may not be the one that was sent, though it has the same content; null if nothing speaks against it. */
  readonly doubt: string | null
}

export interface Comparison {
  readonly chainId: number
  readonly address: string
  readonly nextNonce: number | null
  readonly matches: readonly Match[]
  /** Below the count of the chain, but in none of the blocks that were read. */
  readonly notFound: readonly number[]
  readonly cancelled: readonly string[]
}

/** One queued transaction for each sent one, in the order of nonces and of acceptance, as Drover assigns nonces. */
export function matchSent(sent: readonly SentTransaction[], queued: readonly Transaction[]): readonly Match[] {
  const waiting = new Map<string, Transaction[]>()
  // Those that could have been sent first.
  const inTurn = [...queued].sort((one, other) => Number(findDoubt(one) !== null) - Number(findDoubt(other) !== null))
  for (const tx of inTurn) {
    const alike = waiting.get(contentOf(tx))
    if (alike === undefined) waiting.set(contentOf(tx), [tx])
    else alike.push(tx)
  }
  return [...sent]
    .sort((one, other) => one.nonce - other.nonce)
    .map((item) => {
      const found = waiting.get(contentOf(item))?.shift() ?? null
      return { sent: item, queued: found, doubt: found === null ? null : findDoubt(found) }
    })
}

function contentOf({ to, value, data }: Pick<SentTransaction, 'to' | 'value' | 'data'>): string {
  return [to?.toLowerCase() ?? '', BigInt(value), data.toLowerCase()].join(' ')
}

function findDoubt({ suspended, approval, notBefore }: Transaction): string | null {
  if (suspended) return 'is suspended'
  if (approval !== null) return 'needs approval'
  if (notBefore !== null) return 'is scheduled'
  return null
}
