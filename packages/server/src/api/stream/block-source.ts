/** What a follower of a chain's confirmed blocks gets: each once, lowest first, starting at a block number. */
import type { ChainView, Finality, Header } from '../../core/chain/finality.ts'
import type { Store } from '../../ports/store.ts'
import { presentBlock } from '../present/present-block.ts'
import { readConfirmedBlocks } from './confirmed-blocks.ts'
import type { ServerEventSource } from './server-events.ts'

export interface BlockSourcePorts {
  readonly store: Pick<Store, 'readHeaders'>
  view(): ChainView | null
  onChain(listener: () => void): () => void
}

interface BlockSourceRequest {
  readonly chainId: number
  readonly finality: Finality
  /** Null: start at the next confirmed block. */
  readonly after: number | null
}

const PAGE = 200

export function createBlockSource(
  { store, view: viewNow, onChain }: BlockSourcePorts,
  { chainId, finality, after }: BlockSourceRequest,
): ServerEventSource {
  let cursor = after

  async function readNext(): Promise<Buffer | null> {
    const view = viewNow()
    if (view === null) return null
    if (cursor === null) {
      cursor = readConfirmedBlocks(view, [], finality, { after: null, limit: 0 }).confirmed
      return null
    }
    // The window is in memory. Only followers further back read from the store.
    const stored =
      view.header(cursor + 1) === null ? await store.readHeaders(chainId, cursor + 1, view.head.number) : []
    const { headers, from, gap } = readConfirmedBlocks(view, stored, finality, { after: cursor, limit: PAGE })
    const last = headers.at(-1)
    if (last === undefined) return null
    cursor = last.number
    return Buffer.concat([...(gap ? [gapFrame(from)] : []), ...headers.map(blockFrame)])
  }

  return { follow: onChain, readNext, cursor: () => cursor }
}

/** Blocks before this one are no longer available. */
function gapFrame(from: number): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify({ from })}\n\n`)
}

function blockFrame(header: Header): Buffer {
  return Buffer.from(`id: ${header.number}\nevent: block\ndata: ${JSON.stringify(presentBlock(header))}\n\n`)
}
