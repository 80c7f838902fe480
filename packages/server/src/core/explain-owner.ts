/** Whether any node runs the lane. Without one nothing moves, whatever else may be true of its transactions. */
import type { BlockedBy, ExplainContext } from './explanation.ts'

export interface MissingOwner {
  readonly summary: string
  readonly blockedBy: BlockedBy
}

export function findMissingOwner({ lane: { owner } }: ExplainContext): MissingOwner | null {
  if (owner?.live) return null
  return {
    summary:
      owner === null
        ? 'No node runs this lane at the moment.'
        : `Node ${owner.nodeId} ran this lane under fence ${owner.fence}, but its lease has run out.`,
    blockedBy: { type: 'node', nodeId: owner?.nodeId ?? null },
  }
}
