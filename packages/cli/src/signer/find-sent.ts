/**
 * The transactions of an account in the blocks of its chain, from a nonce up. Read backwards from the newest block, through
 * the service. Where the RPC node still has the count of the account at an older block, stretches without any are skipped.
 */
import type { SentTransaction } from './match-sent.ts'

export interface ChainReads {
  /** Null if the node does not have that block. */
  readBlock(height: number): Promise<Block | null>
  /** After this block; null if the node no longer has that state. */
  countAt(height: number): Promise<number | null>
  readHead(): Promise<number>
}

export interface Block {
  /** In milliseconds. */
  readonly time: number
  readonly transactions: readonly (SentTransaction & { readonly from: string })[]
}

interface Search {
  readonly address: string
  /** The lowest nonce to look for; null: as far back as `since`. */
  readonly fromNonce: number | null
  /** Blocks before this time, in milliseconds, are not looked at; null: look until `fromNonce`. */
  readonly since: number | null
  readonly onProgress: (height: number) => void
}

const STRETCH = 64
const AT_ONCE = 8

export async function findSent(chain: ChainReads, search: Search): Promise<readonly SentTransaction[]> {
  const { fromNonce, since, onProgress } = search
  const own = search.address.toLowerCase()
  const found: SentTransaction[] = []
  const isDone = () => fromNonce !== null && found.some(({ nonce }) => nonce <= fromNonce)
  let top = await chain.readHead()
  let countAtTop = await chain.countAt(top)
  while (top >= 0 && !isDone()) {
    if (fromNonce !== null && countAtTop !== null && countAtTop <= fromNonce) break
    const below = Math.max(top - STRETCH, -1)
    const countBelow = below < 0 ? 0 : await chain.countAt(below)
    const isEmpty = countAtTop !== null && countAtTop === countBelow
    // The lowest block of a stretch tells how far back it reaches, even if it is skipped.
    const heights = isEmpty ? [below + 1] : Array.from({ length: top - below }, (_, place) => top - place)
    const blocks: (Block | null)[] = []
    for (let place = 0; place < heights.length; place += AT_ONCE)
      blocks.push(...(await Promise.all(heights.slice(place, place + AT_ONCE).map(chain.readBlock))))
    for (const block of blocks)
      for (const { from, ...tx } of block?.transactions ?? [])
        if (from.toLowerCase() === own && (fromNonce === null || tx.nonce >= fromNonce)) found.push(tx)
    onProgress(below + 1)
    const oldest = blocks.at(-1)
    if (since !== null && oldest && oldest.time < since) break
    top = below
    countAtTop = countBelow
  }
  return found.sort((one, other) => one.nonce - other.nonce)
}
