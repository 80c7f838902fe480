/**
 * Walks back from a block by parent hash until it meets one that is known. A walk that an error cuts short is not lost:
 * the blocks that it got are kept, and the next walk goes on from there, also if the chain has grown meanwhile. A longer
 * walk asks for many blocks by height in one request; only those that link by hash count.
 */
import type { Hash } from '../../core/hex.ts'
import { type Block, type Chain, ChainUnavailable } from '../../ports/chain.ts'

export interface Walk {
  /** The known block that the walk met; null where it ended at its depth or at the first block of the chain. */
  readonly root: Hash | null
  /** The blocks above it, lowest first. */
  readonly blocks: readonly Block[]
}

export interface BlockWalker {
  /** Throws ChainUnavailable where a block cannot be had; what was read until then is kept. */
  walkBack(from: Block, options: { isKnown(hash: Hash): boolean; readonly depth: number }): Promise<Walk>
  /** Blocks read below those that walks began at: more than before means that the chain answers and a walk gets further. */
  readCount(): number
}

/** Read one by one; most walks are no longer. */
const SINGLE_READS = 3
const BATCH = 16

export function createBlockWalker(chain: Pick<Chain, 'getBlock' | 'getBlocks'>, maxKept: number): BlockWalker {
  /** Oldest first. A block that left the chain meanwhile does no harm: no walk comes by its hash. */
  const kept = new Map<Hash, Block>()
  let reads = 0

  function keep(block: Block): void {
    if (kept.has(block.hash)) return
    reads++
    kept.set(block.hash, block)
    for (const hash of kept.keys()) {
      if (kept.size <= maxKept + BATCH) break
      kept.delete(hash)
    }
  }

  async function readParent({ number, parentHash }: Block, walked: number): Promise<Block> {
    if (walked > SINGLE_READS && !kept.has(parentHash)) {
      for (const block of await chain.getBlocks(Math.max(0, number - BATCH), number - 1)) keep(block)
    }
    const parent = kept.get(parentHash) ?? (await chain.getBlock({ hash: parentHash }))
    // The chain moved under the walk, or the node lacks its own past: the next walk tries again.
    if (parent === null) throw new ChainUnavailable(`the node does not have block ${parentHash}`)
    keep(parent)
    return parent
  }

  return {
    walkBack: async (from, { isKnown, depth }) => {
      kept.set(from.hash, from)
      const walked: Block[] = [from]
      for (let block = from; ; ) {
        const isRooted = isKnown(block.parentHash)
        if (isRooted || walked.length >= depth || block.number === 0) {
          kept.clear()
          return { root: isRooted ? block.parentHash : null, blocks: walked.reverse() }
        }
        block = await readParent(block, walked.length)
        walked.push(block)
      }
    },
    readCount: () => reads,
  }
}
