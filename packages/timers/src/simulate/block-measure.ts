/** What one simulated block shows: fires, waits, fairness and prices. */
import type { BlockResult } from '../chain/apply-block.ts'
import type { Hex } from '../kernel/hex.ts'

export interface BlockMeasure {
  readonly height: bigint
  readonly fires: number
  readonly targetsServed: number
  readonly evictions: number
  readonly failures: number
  /** Due and not served, after this block. */
  readonly waiting: number
  readonly oldestWaitBlocks: number
  readonly meanWaitBlocks: number
  /** Jain's index over fires per target so far: 1 is equal shares, 1/n is one target taking all. */
  readonly fairness: number
  readonly laneUsed: bigint
  readonly basefeeCycles: bigint
  readonly basefeeCells: bigint
}

export function createMeasure(
  result: BlockResult,
  waiting: { readonly count: number; readonly oldest: bigint },
  served: ReadonlyMap<Hex, number>,
): BlockMeasure {
  const { height, delivery, receipts, basefees } = result
  const waits = delivery.entries.map((entry) => Number(height - entry.triggerCtx.dueHeight))
  return {
    height,
    fires: delivery.entries.length,
    targetsServed: new Set(delivery.entries.map(({ target }) => target)).size,
    evictions: delivery.evictions.length,
    failures: receipts.filter(({ type, outcome }) => type === 'fire' && outcome.type === 'failed').length,
    waiting: waiting.count,
    oldestWaitBlocks: Number(waiting.oldest),
    meanWaitBlocks: waits.length === 0 ? 0 : waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    fairness: jainIndex([...served.values()]),
    laneUsed: delivery.entries.reduce((sum, entry) => sum + entry.gasLimitSnapshot, 0n),
    basefeeCycles: basefees.cycles,
    basefeeCells: basefees.cells,
  }
}

export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares)
}
