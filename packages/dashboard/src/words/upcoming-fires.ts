/** The blocks at which timers fire next, nearest first. */
import type { TimerResource } from '../api/api-resources.ts'

export interface UpcomingFire {
  readonly chainId: number
  readonly height: number
  /** Zero or less: due now. */
  readonly inBlocks: number
  readonly names: readonly string[]
}

type Due = Pick<TimerResource, 'id' | 'name' | 'chainId' | 'dueHeight' | 'state'>

/** `heads`: the newest block of each chain. Timers of one block are one entry. */
export function findUpcoming(
  timers: readonly Due[],
  heads: ReadonlyMap<number, number>,
  most: number,
): readonly UpcomingFire[] {
  const fires = new Map<string, UpcomingFire>()
  for (const { id, name, chainId, dueHeight, state } of timers) {
    const head = heads.get(chainId)
    if (state !== 'ACTIVE' || dueHeight === null || head === undefined) continue
    const key = `${chainId} ${dueHeight}`
    const names = [...(fires.get(key)?.names ?? []), name ?? id.slice(-8)]
    fires.set(key, { chainId, height: dueHeight, inBlocks: dueHeight - head, names })
  }
  return [...fires.values()].sort((a, b) => a.inBlocks - b.inBlocks).slice(0, most)
}
