/**
 * Groups the blocks of a transaction by height: its own block, the blocks on top, and the blocks that a reorg dropped.
 * Dropped blocks come from the history, which lists every block that held the transaction, and from what this tab saw
 * earlier.
 */
import type { EventResource } from '../api/api-resources.ts'

export interface Block {
  readonly blockNumber: number
  readonly blockHash: string
}

export interface BlockColumn {
  readonly blockNumber: number
  /** Null: another block is there now, and its hash is not known here. */
  readonly blockHash: string | null
  readonly isOwn: boolean
  readonly dropped: readonly { readonly blockHash: string; readonly wasOwn: boolean }[]
}

interface Known {
  /** The block that holds it now; null: none. */
  readonly own: Block | null
  /** On top of it, lowest first. */
  readonly above: readonly Block[]
  readonly history: readonly Pick<EventResource, 'type' | 'detail'>[]
  /** On top of it at some time before. */
  readonly seen: readonly Block[]
}

export function formBlockColumns({ own, above, history, seen }: Known): readonly BlockColumn[] {
  const current = new Map(
    [...(own === null ? [] : [own]), ...above].map((block) => [block.blockNumber, block.blockHash]),
  )
  const past = [
    ...history.flatMap(listOwnBlocks).map((block) => ({ ...block, wasOwn: true })),
    ...[...history.flatMap(listReplaced), ...seen].map((block) => ({ ...block, wasOwn: false })),
  ]
  const dropped = new Map(
    past
      // Of a height that is not reached again nothing is known, unless the transaction itself was there.
      .filter(({ blockNumber, wasOwn }) => wasOwn || current.has(blockNumber))
      .filter(({ blockNumber, blockHash }) => current.get(blockNumber) !== blockHash)
      .toReversed()
      .map((block) => [block.blockHash, block]),
  )
  const heights = new Set([...current.keys(), ...[...dropped.values()].map(({ blockNumber }) => blockNumber)])
  return [...heights]
    .sort((a, b) => a - b)
    .map((blockNumber) => ({
      blockNumber,
      blockHash: current.get(blockNumber) ?? null,
      isOwn: blockNumber === own?.blockNumber,
      dropped: [...dropped.values()]
        .filter((block) => block.blockNumber === blockNumber)
        .map(({ blockHash, wasOwn }) => ({ blockHash, wasOwn })),
    }))
}

function listOwnBlocks({ type, detail }: Known['history'][number]): readonly Block[] {
  return type === 'inclusion.seen' || type === 'inclusion.reorged' ? readBlock(detail) : []
}

/** Only the blocks after a reorg are written down; the next reorg may drop them in turn. */
function listReplaced({ type, detail }: Known['history'][number]): readonly Block[] {
  return type === 'confirmations.replaced' && Array.isArray(detail.confirmations)
    ? detail.confirmations.flatMap(readBlock)
    : []
}

function readBlock(value: unknown): readonly Block[] {
  const { blockNumber, blockHash } = (value ?? {}) as Readonly<Record<string, unknown>>
  return typeof blockNumber === 'number' && typeof blockHash === 'string' ? [{ blockNumber, blockHash }] : []
}
