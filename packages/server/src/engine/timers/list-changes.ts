/** The differences between two states of the kernel, as shown to people. */
import { type Delivery, diffMaps, type TimerState as KernelState, type Retirement, type Timer } from '@drover/timers'
import type { KernelId, TimerState } from '../../core/timer/timer.ts'
import type { TimerChange } from '../../ports/timer-store.ts'

/** How a timer ended, if the kernel ended it. `ACTIVE`: it goes on under another kernel id. */
export type Endings = Map<KernelId, { readonly state: TimerState; readonly reason: string | null }>

export function noteEndings(
  endings: Endings,
  delivery: Pick<Delivery, 'mutations' | 'evictions'>,
  retired: readonly Retirement[],
): void {
  for (const mutation of delivery.mutations) {
    if (mutation.type === 'timer.spent') endings.set(mutation.timerId, { state: 'DONE', reason: null })
  }
  for (const { timerId, type } of delivery.evictions) endings.set(timerId, { state: 'EVICTED', reason: type })
  for (const { timerId, reason } of retired) endings.set(timerId, { state: 'RETIRED', reason })
}

const UNKNOWN_END = { state: 'CANCELLED', reason: null } as const

export function listChanges(before: KernelState, after: KernelState, endings: Endings): readonly TimerChange[] {
  const changes: TimerChange[] = []
  diffMaps(before.timers, after.timers, (kernelId, was, is) => {
    if (is !== undefined) changes.push(liveChange(is))
    else if (was !== undefined) changes.push(endedChange(kernelId, was, endings))
  })
  return changes
}

function liveChange({ timerId, dueHeight, fireSeq }: Timer): TimerChange {
  return {
    kernelId: timerId,
    isLive: true,
    dueHeight: dueHeight === null ? null : Number(dueHeight),
    fireSeq,
    ended: null,
  }
}

function endedChange(kernelId: KernelId, { fireSeq }: Timer, endings: Endings): TimerChange {
  const ended = endings.get(kernelId) ?? UNKNOWN_END
  const hasFired = ended.state === 'DONE' || ended.state === 'ACTIVE' || ended.state === 'RETIRED'
  return { kernelId, isLive: false, dueHeight: null, fireSeq: hasFired ? fireSeq + 1 : fireSeq, ended }
}
