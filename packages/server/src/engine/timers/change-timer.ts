/**
 * Changes to a timer that exists: other terms, another schedule, cancel, pause, resume. A timer by cron may fire, or get
 * its next time, while it is being changed; then the change is made again, to what the timer is by now.
 */
import { findEarlier, isBetweenTimes, type ManagedTimer, type TimerId, type TimerSpec } from '../../core/timer/timer.ts'
import type { TimerCommand } from '../../core/timer/timer-command.ts'
import { endOf } from './end-timer.ts'
import type { Schedules, WantedSchedule } from './resolve-schedule.ts'
import { forbid } from './timer-errors.ts'

export type TermChange = Partial<Pick<TimerSpec, 'data' | 'gasLimit' | 'bid'>> & {
  /** It counts from now; the timer gets another kernel id. */
  readonly schedule?: WantedSchedule
}

export interface TimerChanges {
  update(id: TimerId, change: TermChange): Promise<ManagedTimer>
  cancel(id: TimerId): Promise<ManagedTimer>
  pause(id: TimerId): Promise<ManagedTimer>
  resume(id: TimerId): Promise<ManagedTimer>
}

interface ChangePorts {
  readonly schedules: Schedules
  get(id: TimerId): Promise<ManagedTimer>
  /** Stores the command and waits for its answer; throws if it is refused. */
  ask(chainId: number, command: TimerCommand): Promise<unknown>
}

const MAX_TRIES = 5

export function createTimerChanges({ schedules, get, ask }: ChangePorts): TimerChanges {
  async function change(
    id: TimerId,
    act: (timer: ManagedTimer) => Promise<void>,
    triesLeft = MAX_TRIES,
  ): Promise<ManagedTimer> {
    const timer = await get(id)
    try {
      await act(timer)
    } catch (error) {
      if (triesLeft <= 1 || !(await hasMoved(timer))) throw error
      return await change(id, act, triesLeft - 1)
    }
    return await get(id)
  }

  async function hasMoved(before: ManagedTimer): Promise<boolean> {
    if (before.spec.schedule.type !== 'cron') return false
    const now = await get(before.id)
    return now.kernelId !== before.kernelId || isBetweenTimes(now) !== isBetweenTimes(before)
  }

  async function reschedule({ id: timerId, kernelId, spec: before }: ManagedTimer, spec: TimerSpec): Promise<void> {
    const earlier = findEarlier(before)
    await ask(spec.chainId, { type: 'reschedule', timerId, kernelId, spec, isNext: false, earlier })
  }

  async function update(timer: ManagedTimer, { schedule: wanted, ...terms }: TermChange): Promise<void> {
    const { id: timerId, kernelId, spec } = timer
    if (timer.state !== 'ACTIVE') throw forbid('update', `The timer is ${timer.state}.`)
    const changed = { ...spec, ...terms }
    if (wanted !== undefined)
      return await reschedule(timer, { ...changed, schedule: schedules.resolve(wanted, spec.chainId) })
    // The kernel no longer knows it, so its next time is set at the same time.
    if (isBetweenTimes(timer)) return await reschedule(timer, { ...changed, schedule: schedules.next(timer) })
    await ask(spec.chainId, { type: 'update', timerId, kernelId, spec: changed })
  }

  return {
    update: (id, terms) => change(id, (timer) => update(timer, terms)),
    cancel: (id) =>
      change(id, async (timer) => {
        if (timer.state !== 'ACTIVE' && timer.state !== 'PAUSED') throw forbid('cancel', `The timer is ${timer.state}.`)
        await ask(timer.spec.chainId, endOf(timer, 'cancel'))
      }),
    pause: (id) =>
      change(id, async (timer) => {
        if (timer.state !== 'ACTIVE') throw forbid('pause', `The timer is ${timer.state}.`)
        // A paused timer keeps the time that it has not fired for.
        if (isBetweenTimes(timer)) await update(timer, {})
        await ask(timer.spec.chainId, endOf(await get(id), 'pause'))
      }),
    resume: async (id) => {
      const { state, spec } = await get(id)
      if (state !== 'PAUSED') throw forbid('resume', `The timer is ${state}.`)
      const schedule = schedules.resume(spec)
      await ask(spec.chainId, { type: 'set', timerId: id, spec: { ...spec, schedule }, label: null })
      return await get(id)
    },
  }
}
