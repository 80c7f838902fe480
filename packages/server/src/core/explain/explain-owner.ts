/** Whether any node runs the lane. Without one nothing moves, whatever the state of its transactions. */
import type { BlockedBy, ExplainContext } from './explanation.ts'
import { spellTime } from './spell-time.ts'

export interface MissingOwner {
  readonly summary: string
  readonly blockedBy: BlockedBy
}

export function findMissingOwner({ lane: { owner } }: ExplainContext): MissingOwner | null {
  if (owner?.live && owner.silentSince === null) return null
  return { summary: spell(owner), blockedBy: { type: 'node', nodeId: owner?.nodeId ?? null } }
}

function spell(owner: ExplainContext['lane']['owner']): string {
  if (owner === null) return 'No node is running this signer.'
  const { nodeId, silentSince, live, expiresAt } = owner
  const lease = `Its lease ${live ? 'ends' : 'ended'} at ${spellTime(expiresAt)}`
  return silentSince === null
    ? `No node is running this signer. Node ${nodeId} ran it until its lease ended at ${spellTime(expiresAt)}.`
    : `Node ${nodeId}, which runs this signer, has not reported since ${spellTime(silentSince)}. ${lease}${live ? ', then another node takes over' : ''}.`
}
