/**
 * The stable stream of confirmed blocks: canonical headers that the chain's finality rule has reached, lowest first.
 *
 * The cursor is a block number. A reader that goes on from `next` gets each block once and in order, and never one
 * that is not confirmed yet; a node that is behind has nothing after the reader's cursor and says so by an empty page.
 * The source is this node's window of headers and, below it, what the store kept of earlier ones, as far as both link.
 * A cursor from before that is answered from the first block on that is here, marked as a gap, rather than refused,
 * since a reader can do nothing else.
 */
import type { ChainView, Finality, Header } from '../../core/chain/finality.ts'

export interface ConfirmedBlocks {
  readonly headers: readonly Header[]
  /** Lowest block that is here. */
  readonly from: number
  /** Highest confirmed block; null while there is none here. */
  readonly confirmed: number | null
  /** Blocks after the cursor lie before the lowest that is here. */
  readonly gap: boolean
}

export function readConfirmedBlocks(
  view: ChainView,
  stored: readonly Header[],
  finality: Finality,
  page: { readonly after: number | null; readonly limit: number },
): ConfirmedBlocks {
  const older = linkBelow(view, stored)
  const headerAt = (number: number): Header | null => view.header(number) ?? older.get(number) ?? null
  const from = findStart(view.head.number, headerAt)
  const reached = findConfirmed(view, finality)
  const confirmed = reached === null || reached < from ? null : reached
  const wanted = page.after === null ? from : page.after + 1
  const headers: Header[] = []
  for (let number = Math.max(wanted, from); number <= (confirmed ?? -1) && headers.length < page.limit; number++) {
    const header = headerAt(number)
    if (header !== null) headers.push(header)
  }
  return { headers, from, confirmed, gap: wanted < from }
}

/** A tag may run ahead of the head that this view was made with. */
function findConfirmed(view: ChainView, finality: Finality): number | null {
  const reached = finality.type === 'confirmations' ? view.head.number - finality.count : view[finality.type]
  return reached === null || reached < 0 ? null : Math.min(reached, view.head.number)
}

/** Stored headers under the window, as far down as each is the parent of the one above it. */
function linkBelow(view: ChainView, stored: readonly Header[]): ReadonlyMap<number, Header> {
  const byNumber = new Map(stored.map((header) => [header.number, header]))
  const linked = new Map<number, Header>()
  let above = view.header(findStart(view.head.number, view.header))
  while (above !== null) {
    const below = byNumber.get(above.number - 1)
    if (below === undefined || below.hash !== above.parentHash) break
    linked.set(below.number, below)
    above = below
  }
  return linked
}

function findStart(head: number, headerAt: (number: number) => Header | null): number {
  let number = head
  while (number > 0 && headerAt(number - 1) !== null) number--
  return number
}
