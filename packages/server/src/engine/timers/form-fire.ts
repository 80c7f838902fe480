/** A mailbox entry of the kernel as Drover keeps it, and the transaction that it becomes. */
import { entryDigestOf, fireKeyOf, type MailboxEntry, type TimerKind } from '@drover/timers'
import { keyIdOfActor } from '../../core/access/caller.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import type { ConditionOutcome, FireTrigger } from '../../core/timer/timer.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { HandOff, Incarnation, NewFire } from '../../ports/timer-store.ts'
import { formIntent } from '../accept/accept-request.ts'
import { skipReasonOf } from './conditions/judge-condition.ts'

const KINDS: { readonly [K in TimerKind]: FireTrigger['type'] } = {
  HEIGHT: 'timeout',
  INTERVAL: 'interval',
  STATE_WATCH: 'watch',
}

/** Fires of one timer that may be in flight at once. */
const MAX_OPEN = { buffer: 64, skip: 1 } as const
/** Where to find the timer of a transaction. */
const TIMER_TAG = 'drover.timer'

export function formFire(
  entry: MailboxEntry,
  place: { readonly blockHash: Hash; readonly position: number },
  { timerId }: Pick<Incarnation, 'timerId'>,
  condition: ConditionOutcome | null,
): NewFire {
  const { triggerCtx: trigger } = entry
  const skipReason = condition === null ? null : skipReasonOf(condition)
  return {
    deliverId: entry.deliverId,
    fireKey: fireKeyOf(entry.timerId, entry.fireSeq),
    timerId,
    kernelId: entry.timerId,
    fireSeq: entry.fireSeq,
    height: Number(entry.height),
    ...place,
    owner: entry.owner,
    target: entry.target,
    data: entry.payloadSnapshot,
    gasLimit: entry.gasLimitSnapshot,
    bid: entry.bidSnapshot,
    trigger: {
      type: KINDS[trigger.kind],
      dueHeight: Number(trigger.dueHeight),
      matchedKeys: trigger.matched?.keys ?? [],
      isTruncated: trigger.matched?.truncated ?? false,
    },
    digest: entryDigestOf(entry),
    state: skipReason === null ? 'OBSERVED' : 'SKIPPED',
    skipReason,
    condition,
  }
}

/** The request id is the fire's own, so it can be accepted only once. */
export function formHandOff(fire: NewFire, { spec, tenant, createdBy, metadata }: Incarnation, id: string): HandOff {
  const { deliverId, fireKey, timerId, owner, target, gasLimit } = fire
  const lane = { chainId: spec.chainId, signer: owner }
  const keyId = keyIdOfActor(createdBy)
  const request = {
    chainId: spec.chainId,
    from: owner,
    to: target,
    data: spec.appendDeliverId ? append(fire.data, deliverId) : fire.data,
    value: spec.value,
    gasLimit,
    fees: null,
    speed: null,
    priority: null,
    validUntil: null,
    finality: null,
    requestId: deliverId,
    simulate: null,
    metadata: { ...metadata, [TIMER_TAG]: timerId },
    maxFeeWei: spec.maxFeeWei,
  }
  const transaction: NewTransaction = {
    id,
    intent: formIntent(request, lane, { speed: 'standard', simulate: true }),
    by: createdBy,
    tenant,
    ...(keyId !== null && { keyId }),
  }
  const isSkippedUnfunded = spec.onLowFunds === 'skip'
  return { deliverId, fireKey, timerId, transaction, maxOpen: MAX_OPEN[spec.overlap], isSkippedUnfunded }
}

function append(data: Hex, suffix: Hex): Hex {
  return `0x${data.slice(2)}${suffix.slice(2)}`
}
