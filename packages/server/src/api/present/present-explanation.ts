/** An explanation as JSON. */
import type { Explanation } from '../../core/explain/explain.ts'
import type { BlockedBy } from '../../core/explain/explanation.ts'
import { presentLowestReserved } from '../contract/requests/lowest-reserved.ts'
import type { ExplanationResource } from '../contract/resources/explanation-resource.ts'
import { checksumAddress, checksumText } from '../contract/values/address.ts'
import { presentOptionalInstant } from '../contract/values/instant.ts'

export function presentExplanation(explanation: Explanation, revertReason: string | null): ExplanationResource {
  const { summary, cause, blockedBy, nextAction, nextActionAt, options, advice, runbook } = explanation
  return {
    summary: checksumText(summary),
    cause,
    revertReason,
    nextAction: checksumText(nextAction),
    ...(blockedBy && { blockedBy: presentBlockedBy(blockedBy) }),
    nextActionAt: presentOptionalInstant(nextActionAt),
    advice: advice && checksumText(advice),
    runbook,
    options: options.map(({ action, effect }) => ({ action, effect })),
  }
}

function presentBlockedBy(blockedBy: BlockedBy): NonNullable<ExplanationResource['blockedBy']> {
  switch (blockedBy.type) {
    case 'transaction': {
      const { type, txId, nonce, state } = blockedBy
      return { type, transactionId: txId, nonce, state }
    }
    case 'reservation':
      return { type: 'reservation', ...presentLowestReserved(blockedBy) }
    case 'lane':
      return { type: 'lane', chainId: blockedBy.chainId, address: checksumAddress(blockedBy.signer) }
    case 'chain':
    case 'slot':
      return blockedBy
    case 'node':
      return { type: 'node', node: blockedBy.nodeId }
  }
}
