/**
 * Walks back from a block by parent hash until it meets one that is known. A walk that an error cuts short is not lost:
 * the blocks that it got are kept, and the next walk goes on from there, also if the chain has grown meanwhile. A longer
 * walk asks for many blocks by height in one request; only those that link by hash count.
 */
import type { Hash } from '../../core/hex.ts'
import { type Block, type Chain, ChainUnavailable } from '../../ports/chain.ts'

export interface Walk {
  /** The known block that the walk met; null where it was enough without one, or ended at the first block of the chain. */
  readonly root: Hash | null
  /** The blocks above it, lowest first. */
  readonly blocks: readonly Block[]
}

/** A node answered that it does not have a block that the walk needs: that branch may be gone. */
export class BlockMissing extends ChainUnavailable {}

export interface BlockWalker {
  /** Throws ChainUnavailable where a block cannot be had; what was read until then is kept. */
  walkBack(from: Block, until: { isKnown(hash: Hash): boolean; isEnough(count: number): boolean }): Promise<Walk>
}

/** Read one by one; most walks are no longer. */
const SINGLE_READS = 3
const BATCH = 16

/** `onRead` is told of every block that brings a walk further. */
export function createBlockWalker(
  chain: Pick<Chain, 'getBlock' | 'getBlocks'>,
  maxKept: number,
  onRead: () => void = () => {},
): BlockWalker {
  /** Oldest first. A block that left the chain meanwhile does no harm: no walk comes by its hash. */
  const kept = new Map<Hash, Block>()

  function keep(block: Block): void {
    if (kept.has(block.hash)) return
    onRead()
    kept.set(block.hash, block)
    for (const hash of kept.keys()) {
      if (kept.size <= maxKept + BATCH) break
      kept.delete(hash)
    }
  }

  /** The next heights below, without those that an earlier walk got. */
  function listMissing(below: number): readonly number[] {
    const had = new Set([...kept.values()].map(({ number }) => number))
    const heights = Array.from({ length: Math.min(BATCH, below) }, (_, index) => below - 1 - index)
    return heights.filter((height) => !had.has(height))
  }

  async function readParent({ number, parentHash }: Block, walked: number): Promise<Block> {
    if (walked > SINGLE_READS && !kept.has(parentHash)) {
      for (const block of await chain.getBlocks(listMissing(number))) keep(block)
    }
    const parent = kept.get(parentHash) ?? (await chain.getBlock({ hash: parentHash }))
    // The chain moved under the walk, or the node lacks its own past: the next walk tries again.
    if (parent === null) throw new BlockMissing(`the RPC node does not have block ${parentHash}`)
    keep(parent)
    return parent
  }

  return {
    walkBack: async (from, { isKnown, isEnough }) => {
      kept.set(from.hash, from)
      const walked: Block[] = [from]
      for (let block = from; ; ) {
        const isRooted = isKnown(block.parentHash)
        if (isRooted || isEnough(walked.length) || block.number === 0) {
          kept.clear()
          return { root: isRooted ? block.parentHash : null, blocks: walked.reverse() }
        }
        block = await readParent(block, walked.length)
        walked.push(block)
      }
    },
  }
}
