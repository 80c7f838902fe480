/**
 * Walks back from a block by parent hash until it meets a known one. If an error cuts a walk short, it is not lost: its
 * blocks are kept, and the next walk continues from there, even if the chain has grown meanwhile. A longer walk
 * requests many blocks by height in one request; only those that link by hash count.
 */
import type { Hash } from '../../core/hex.ts'
import { type Block, type Chain, ChainUnavailable } from '../../ports/chain.ts'

export interface Walk {
  /** The known block that the walk met; null if it had enough without one, or reached the chain's first block. */
  readonly root: Hash | null
  /** The blocks above it, lowest first. */
  readonly blocks: readonly Block[]
}

/** A node answered that it does not have a block that the walk needs: that branch may be gone. */
export class BlockMissing extends ChainUnavailable {}

export interface BlockWalker {
  /** Throws ChainUnavailable if a block cannot be read; what was read until then is kept. */
  walkBack(from: Block, until: { isKnown(hash: Hash): boolean; isEnough(count: number): boolean }): Promise<Walk>
}

/** Read one by one; most walks are no longer than this. */
const SINGLE_READS = 3
const BATCH = 16

/** `onRead` is called for every block that advances a walk. */
export function createBlockWalker(
  chain: Pick<Chain, 'getBlock' | 'getBlocks'>,
  maxKept: number,
  onRead: () => void = () => {},
): BlockWalker {
  /** Oldest first. A block that left the chain meanwhile does no harm: no walk reaches its hash. */
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

  /** The next heights below, without those that an earlier walk read. */
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
    // The chain changed during the walk, or the node lacks its own past: the next walk tries again.
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
