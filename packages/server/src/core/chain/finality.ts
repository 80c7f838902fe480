/** When an inclusion counts as final, and what the canonical chain says about one. */
import type { Address, Hash } from '../hex.ts'

export type Finality =
  | { readonly type: 'confirmations'; readonly count: number }
  | { readonly type: 'safe' }
  | { readonly type: 'finalized' }

export interface Header {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Seconds, as the chain has it. */
  readonly timestamp: number
}

/** The block that holds an attempt, and what happened to it there. */
export interface Inclusion {
  readonly txHash: Hash
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly txIndex: number
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly contractAddress: Address | null
}

export interface Confirmation {
  readonly blockNumber: number
  readonly blockHash: Hash
}

/** One consistent look at the canonical chain: a bounded window of headers and the tags that the node reports. */
export interface ChainView {
  readonly head: Header
  readonly safe: number | null
  readonly finalized: number | null
  /** Canonical header at this height, or null if the window does not reach it. */
  header(number: number): Header | null
}

export type InclusionStatus =
  /** Below the window: its header is gone from memory, and the node must be queried. */
  | { readonly type: 'unknown' }
  /** Above the head: this view is behind the one that saw it. The next block at its height decides. */
  | { readonly type: 'ahead' }
  | { readonly type: 'reorged' }
  | { readonly type: 'waiting'; readonly confirmations: number }
  | { readonly type: 'final'; readonly confirmations: readonly Confirmation[] }

/** Identity is the block hash, not the height. Only a different block in its place proves that an inclusion is gone. */
export function assessInclusion(
  at: Pick<Inclusion, 'blockNumber' | 'blockHash'>,
  chain: ChainView,
  finality: Finality,
): InclusionStatus {
  if (at.blockNumber > chain.head.number) return { type: 'ahead' }
  const canonical = chain.header(at.blockNumber)
  if (canonical === null) return { type: 'unknown' }
  if (canonical.hash !== at.blockHash) return { type: 'reorged' }
  const depth = chain.head.number - at.blockNumber
  return isFinal(at.blockNumber, depth, chain, finality)
    ? { type: 'final', confirmations: listConfirmations(at.blockNumber, chain, finality) }
    : { type: 'waiting', confirmations: depth }
}

function isFinal(blockNumber: number, depth: number, chain: ChainView, finality: Finality): boolean {
  switch (finality.type) {
    case 'confirmations':
      return depth >= finality.count
    case 'safe':
      return chain.safe !== null && chain.safe >= blockNumber
    case 'finalized':
      return chain.finalized !== null && chain.finalized >= blockNumber
  }
}

/** The headers on top of an inclusion: as many as the rule requires, or all in the window if it names a tag. */
export function listConfirmations(blockNumber: number, chain: ChainView, finality: Finality): Confirmation[] {
  const last =
    finality.type === 'confirmations' ? Math.min(chain.head.number, blockNumber + finality.count) : chain.head.number
  const list: Confirmation[] = []
  for (let number = blockNumber + 1; number <= last; number++) {
    const header = chain.header(number)
    if (header === null) break
    list.push({ blockNumber: header.number, blockHash: header.hash })
  }
  return list
}

/** The highest block that is final under the rule; null if the node does not say. May lie below the first block. */
export function finalHeight(view: ChainView, finality: Finality): number | null {
  switch (finality.type) {
    case 'confirmations':
      return view.head.number - finality.count
    case 'safe':
      return view.safe
    case 'finalized':
      return view.finalized
  }
}
