/**
 * The stable stream of confirmed blocks: canonical headers that the chain's finality rule has reached, lowest first.
 *
 * The cursor is a block number. A reader that goes on from `next` gets each block once and in order, and never one
 * that is not confirmed yet; a node that is behind has nothing after the reader's cursor and says so by an empty page.
 * The source is this node's window of headers, so the stream begins where the window does: a cursor from before it is
 * answered from the window's first block on, marked as a gap, rather than refused, since a reader can do nothing else.
 */
import type { ChainView, Finality, Header } from '../core/finality.ts'

export interface ConfirmedBlocks {
  readonly headers: readonly Header[]
  /** Lowest block of the window. */
  readonly from: number
  /** Highest confirmed block; null while there is none in the window. */
  readonly confirmed: number | null
  /** Blocks after the cursor lie before the window. */
  readonly gap: boolean
}

export function readConfirmedBlocks(
  view: ChainView,
  finality: Finality,
  page: { readonly after: number | null; readonly limit: number },
): ConfirmedBlocks {
  const from = findWindowStart(view)
  const reached = findConfirmed(view, finality)
  const confirmed = reached === null || reached < from ? null : reached
  const wanted = page.after === null ? from : page.after + 1
  const headers: Header[] = []
  for (let number = Math.max(wanted, from); number <= (confirmed ?? -1) && headers.length < page.limit; number++) {
    const header = view.header(number)
    if (header !== null) headers.push(header)
  }
  return { headers, from, confirmed, gap: wanted < from }
}

/** A tag may run ahead of the head that this view was made with. */
function findConfirmed(view: ChainView, finality: Finality): number | null {
  const reached = finality.type === 'confirmations' ? view.head.number - finality.count : view[finality.type]
  return reached === null || reached < 0 ? null : Math.min(reached, view.head.number)
}

function findWindowStart(view: ChainView): number {
  let number = view.head.number
  while (number > 0 && view.header(number - 1) !== null) number--
  return number
}
