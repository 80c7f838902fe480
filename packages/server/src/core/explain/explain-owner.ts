/** Whether any node runs the lane. Without one nothing moves, whatever the state of its transactions. */

import { spellPrivateSends } from './explain-private-sends.ts'
import type { BlockedBy, ExplainContext } from './explanation.ts'
import { spellMissingOwner } from './spell-owner.ts'

export interface MissingOwner {
  readonly summary: string
  readonly blockedBy: BlockedBy
  /** Who takes the signer over. */
  readonly heir: string
}

export function findMissingOwner({ lane: { owner, isKeyHere, sendsPrivately } }: ExplainContext): MissingOwner | null {
  const missing = spellMissingOwner(owner, isKeyHere)
  if (missing === null) return null
  const hidden = sendsPrivately === undefined ? '' : ` ${spellPrivateSends(sendsPrivately.nodeWithout)}`
  return {
    summary: `${missing}${hidden}`,
    blockedBy: { type: 'node', nodeId: owner?.nodeId ?? null },
    heir:
      sendsPrivately === undefined ? 'A node that has the key' : 'A node that has the key and a send endpoint for it',
  }
}
