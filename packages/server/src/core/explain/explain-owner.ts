/** Whether any node runs the lane. Without one nothing moves, whatever the state of its transactions. */

import { spellPrivateSends } from './explain-private-sends.ts'
import type { BlockedBy, ExplainContext } from './explanation.ts'
import { spellTime } from './spell-time.ts'

export interface MissingOwner {
  readonly summary: string
  readonly blockedBy: BlockedBy
  /** Who takes the signer over. */
  readonly heir: string
}

export function findMissingOwner({ lane: { owner, sendsPrivately } }: ExplainContext): MissingOwner | null {
  if (owner?.live && owner.silentSince === null) return null
  const hidden = sendsPrivately === undefined ? '' : ` ${spellPrivateSends(sendsPrivately.nodeWithout)}`
  return {
    summary: `${spell(owner)}${hidden}`,
    blockedBy: { type: 'node', nodeId: owner?.nodeId ?? null },
    heir:
      sendsPrivately === undefined ? 'A node that has the key' : 'A node that has the key and a send endpoint for it',
  }
}

function spell(owner: ExplainContext['lane']['owner']): string {
  if (owner === null) return 'No node is running this signer.'
  const { nodeId, silentSince, live, expiresAt } = owner
  const lease = `Its lease ${live ? 'ends' : 'ended'} at ${spellTime(expiresAt)}`
  return silentSince === null
    ? `No node is running this signer. Node ${nodeId} ran it until its lease ended at ${spellTime(expiresAt)}.`
    : `Node ${nodeId}, which runs this signer, has not reported since ${spellTime(silentSince)}. ${lease}${live ? ', then another node takes over' : ''}.`
}
