/** Statistics of one simulated block: fires, waits, fairness and prices. */
import type { BlockResult } from '../chain/apply-block.ts'
import type { Hex } from '../kernel/bytes/hex.ts'

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
  /** How evenly the block's slots went to the targets it served, as Jain's index: 1 is equal shares. */
  readonly fairness: number
  readonly laneUsed: bigint
  readonly basefeeCycles: bigint
  readonly basefeeCells: bigint
}

export function createMeasure(
  result: BlockResult,
  waiting: { readonly count: number; readonly oldest: bigint },
): BlockMeasure {
  const { height, delivery, receipts, basefees } = result
  const served = new Map<Hex, number>()
  for (const { target } of delivery.entries) served.set(target, (served.get(target) ?? 0) + 1)
  const waits = delivery.entries.map((entry) => Number(height - entry.triggerCtx.dueHeight))
  return {
    height,
    fires: delivery.entries.length,
    targetsServed: served.size,
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

/** 1 for equal shares, 1/n when one of n takes all. */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares)
}
