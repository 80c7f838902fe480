/** Timers, fires and the queue as JSON. */

import { spellError } from '../../core/explain/spell-error.ts'
import { toAddress } from '../../core/hex.ts'
import type { Fire, ManagedTimer, TimerSchedule } from '../../core/timer/timer.ts'
import type { TimerQueue } from '../../engine/timers/timers.ts'
import type { FireResource, TimerQueueResource, TimerResource } from '../contract/resources/timer-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentInstant } from '../contract/values/instant.ts'

export function presentTimer(timer: ManagedTimer): TimerResource {
  const { id, spec, state, endReason, dueHeight, fireCount, cost, name, requestId, metadata, kernelId } = timer
  const { chainId, data, when, overlap, appendDeliverId, onLowFunds, maxFailures } = spec
  return {
    id,
    chainId,
    data,
    overlap,
    appendDeliverId,
    onLowFunds,
    maxFailures,
    state,
    endReason,
    dueHeight,
    fireCount,
    name,
    requestId,
    kernelId,
    from: checksumAddress(spec.owner),
    to: checksumAddress(spec.target),
    schedule: presentSchedule(spec.schedule),
    value: spec.value.toString(),
    gasLimit: spec.gasLimit.toString(),
    bid: spec.bid.toString(),
    when:
      when === null
        ? null
        : { to: checksumAddress(when.to), data: when.data, is: when.comparison, value: when.value.toString() },
    cost: {
      sent: cost.sent,
      reverted: cost.reverted,
      failures: cost.failures,
      gasUsed: cost.gasUsed.toString(),
      feesPaid: cost.feesPaid.toString(),
    },
    metadata: { ...metadata },
    createdHeight: timer.createdHeight,
    createdAt: presentInstant(timer.createdAt),
    createdBy: timer.createdBy,
  }
}

function presentSchedule(schedule: TimerSchedule): TimerResource['schedule'] {
  switch (schedule.type) {
    case 'timeout':
      return { type: 'timeout', height: schedule.dueHeight }
    case 'interval':
      return { type: 'interval', blocks: schedule.everyBlocks }
    case 'cron':
      return { type: 'cron', cron: schedule.line, time: presentInstant(schedule.timeMs) }
    case 'watch':
      return { type: 'watch', keys: [...schedule.keys] }
  }
}

export function presentFire(fire: Fire): FireResource {
  const { fireKey, fireSeq, height, blockHash, skipReason, data, trigger, condition } = fire
  return {
    id: fire.deliverId,
    fireKey,
    fireSeq,
    height,
    blockHash,
    state: showState(fire),
    skipReason,
    reason: explainEnd(fire),
    data,
    orphaned: fire.isOrphaned,
    aliases: [...fire.aliases],
    trigger: {
      type: trigger.type,
      dueHeight: trigger.dueHeight,
      matchedKeys: [...trigger.matchedKeys],
      truncated: trigger.isTruncated,
    },
    condition: condition === null ? null : { ...condition, value: condition.value?.toString() ?? null },
    gasLimit: fire.gasLimit.toString(),
    transactionId: fire.txId,
  }
}

function showState({ state, txState }: Fire): FireResource['state'] {
  return txState ?? state
}

/** Null unless its transaction ended without success. */
function explainEnd({ txState, txError, isOrphaned }: Fire): string | null {
  const otherwise = isOrphaned ? 'A reorg dropped the block that fired it' : 'An operator cancelled it'
  if (txState === 'CANCELLED') return spellError(txError, otherwise)
  if (txState === 'EXPIRED') return spellError(txError, 'It was not sent in time')
  return txState === 'FAILED_FINAL' ? spellError(txError, 'It reverted on chain') : null
}

export function presentQueue({ height, live, params, items }: TimerQueue): TimerQueueResource {
  return {
    height,
    live,
    maxFiresPerBlock: params.maxFiresPerBlock,
    maxFiresPerTarget: params.maxFiresPerTarget,
    maxGas: params.gas,
    items: items.map(({ owner, target, ...item }) => ({
      ...item,
      from: checksumAddress(toAddress(owner)),
      to: checksumAddress(toAddress(target)),
    })),
  }
}
