/** A transaction as JSON: amounts as decimal strings, addresses check-summed, time in ISO 8601 UTC. */

import type { NotBefore } from '../../core/chain/chain-time.ts'
import type { ChainView, Finality } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import {
  currentAttempt,
  inclusionOf,
  isInFlight,
  nonceOf,
  type Transaction,
} from '../../core/transaction/transaction.ts'
import type { TransactionResource } from '../contract/resources/transaction-resource.ts'
import { presentAccessList } from '../contract/values/access-list.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentFinality } from '../contract/values/finality.ts'
import { presentInstant, presentOptionalInstant } from '../contract/values/instant.ts'
import { countConfirmations } from './count-confirmations.ts'
import { presentError } from './present-error.ts'
import { presentWantedFees } from './present-fees.ts'
import { presentReceipt } from './present-receipt.ts'
import { presentApproval } from './present-rules.ts'

type Sends = 'suspended' | 'submitCount' | 'submittedAt' | 'lastSubmitAt' | 'nextResubmitAt' | 'stuckAt'

/** What the chain and the policies add to the stored transaction. */
export interface Surroundings {
  viewOf(chainId: number): ChainView | null
  finalityOf(lane: Lane): Finality
}

export function presentTransaction(tx: Transaction, around: Surroundings): TransactionResource {
  const { intent } = tx
  const inclusion = inclusionOf(tx)
  const attempt = currentAttempt(tx)
  const gasLimit = attempt?.gasLimit ?? intent.gasLimit
  const sends = presentSends(tx)
  return {
    id: tx.id,
    chainId: intent.lane.chainId,
    from: checksumAddress(intent.lane.signer),
    to: intent.to === null ? null : checksumAddress(intent.to),
    data: intent.data,
    value: intent.value.toString(),
    accessList: intent.accessList === undefined ? null : presentAccessList(intent.accessList),
    gasLimit: gasLimit?.toString() ?? null,
    fees: intent.fees && presentWantedFees(intent.fees),
    speed: intent.speed,
    priority: intent.priority,
    validUntil: presentOptionalInstant(intent.validUntil),
    notBefore: presentNotBefore(intent.notBefore),
    nonce: nonceOf(tx),
    state: tx.state,
    subState: tx.subState,
    hash: inclusion?.txHash ?? attempt?.hash ?? null,
    hashes: listHashes(tx, inclusion?.txHash ?? null),
    attempts: tx.attempts.length,
    receipt: inclusion && presentReceipt(inclusion),
    inclusion: inclusion && { blockNumber: inclusion.blockNumber, blockHash: inclusion.blockHash },
    confirmations: {
      count: countConfirmations(tx, around.viewOf(intent.lane.chainId)),
      required: presentFinality(intent.finality ?? around.finalityOf(intent.lane)),
      newForks: 'newForks' in tx ? tx.newForks : 0,
    },
    error: tx.error && presentError(tx.error),
    simulated: intent.simulated,
    requestId: intent.requestId,
    metadata: { ...intent.metadata },
    createdAt: presentInstant(tx.createdAt),
    suspended: sends.suspended,
    submitCount: sends.submitCount,
    submittedAt: sends.submittedAt,
    lastSubmitAt: sends.lastSubmitAt,
    nextResubmitAt: sends.nextResubmitAt,
    stuckAt: sends.stuckAt,
    minedAt: presentOptionalInstant('minedAt' in tx ? tx.minedAt : null),
    finalAt: presentOptionalInstant('finalAt' in tx ? tx.finalAt : null),
    fence: 'fence' in tx ? tx.fence : null,
    node: 'nodeId' in tx ? tx.nodeId : null,
    approval: tx.approval === undefined ? null : presentApproval(tx.approval),
  }
}

/** Also the one that was mined in its place, if somebody else signed that. */
function listHashes({ attempts }: Transaction, mined: Hash | null): Hash[] {
  const own = attempts.map(({ hash }) => hash)
  return mined === null || own.includes(mined) ? own : [...own, mined]
}

/** Nothing is sent again while an operator holds it, or once it is mined. */
function presentSends(tx: Transaction): Pick<TransactionResource, Sends> {
  const signed = 'submitCount' in tx ? tx : null
  const isDue = signed !== null && isInFlight(tx) && inclusionOf(tx) === null && !tx.suspended
  return {
    suspended: tx.suspended,
    submitCount: signed?.submitCount ?? 0,
    submittedAt: presentOptionalInstant(signed?.submittedAt ?? null),
    lastSubmitAt: presentOptionalInstant(signed?.lastSubmitAt ?? null),
    nextResubmitAt: presentOptionalInstant(isDue ? signed.nextResubmitAt : null),
    stuckAt: presentOptionalInstant(tx.state === 'STUCK' ? tx.stuckAt : null),
  }
}

function presentNotBefore(notBefore: NotBefore | undefined): TransactionResource['notBefore'] {
  if (notBefore === undefined) return null
  return 'height' in notBefore ? notBefore : { time: presentInstant(notBefore.timeMs) }
}
