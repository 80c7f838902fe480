/**
 * The stable stream of confirmed blocks: canonical headers that the chain's finality rule has reached, lowest first.
 *
 * The cursor is a block number. A reader that continues from `next` gets each block once and in order, and never an
 * unconfirmed block. A node that is behind has nothing after the reader's cursor and returns an empty page. The source
 * is this node's window of headers and, below it, the stored earlier headers, as far as both link. A cursor from before
 * that is not refused, because the reader has no other option: the page starts at the first available block and is
 * marked as a gap.
 */
import type { ChainView, Finality, Header } from '../../core/chain/finality.ts'

export interface ConfirmedBlocks {
  readonly headers: readonly Header[]
  /** Lowest available block. */
  readonly from: number
  /** Highest confirmed block; null while there is none. */
  readonly confirmed: number | null
  /** Some blocks after the cursor are below the lowest available one. */
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

/** Stored headers below the window, as far down as each is the parent of the one above it. */
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
