/**
 * The page's heart: one beat a second runs everything that is on screen and wants to be fresh.
 *
 * A beat starts after the one before has ended, so that a slow service is never asked twice at a time. Where the page is
 * hidden there are no beats. Where the service does not answer, pauses grow up to a limit, what is on screen stays, and
 * the status says since when it is old. One failed task counts as absence, because all of them ask the same service.
 */

import { ServiceAway } from '../api/api-failure.ts'
import { backOff } from '../generated/back-off.ts'

export const BEAT_MS = 1_000
export const MAX_PAUSE_MS = 15_000

export type PulseStatus =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  | { readonly type: 'away'; readonly reason: string; readonly since: number; readonly retryAt: number }

/** Throws ServiceAway if the service does not respond; the task handles every other failure itself. */
export type PulseTask = () => Promise<void>

interface PulsePorts {
  now(): number
  /** Returns how to call it off. */
  schedule(delayMs: number, run: () => void): () => void
  isVisible(): boolean
  onVisibilityChange(listener: () => void): void
  /** A task failed by a bug. */
  report(error: unknown): void
}

export type Pulse = ReturnType<typeof createPulse>

export function createPulse(ports: PulsePorts) {
  const tasks = new Set<PulseTask>()
  const listeners = new Set<(status: PulseStatus) => void>()
  let status: PulseStatus = { type: 'connecting' }
  let failures = 0
  let lastAnswerAt = ports.now()
  let isBeating = false
  let isAskedAgain = false
  let callOff = () => {}

  function settle(away: ServiceAway | null): number {
    failures = away === null ? 0 : failures + 1
    if (away === null) lastAnswerAt = ports.now()
    const delayMs = backOff(failures, { first: BEAT_MS, max: MAX_PAUSE_MS })
    status =
      away === null
        ? { type: 'live' }
        : { type: 'away', reason: away.message, since: lastAnswerAt, retryAt: ports.now() + delayMs }
    for (const listener of listeners) listener(status)
    return delayMs
  }

  async function beat(): Promise<void> {
    callOff()
    if (isBeating || !ports.isVisible()) {
      isAskedAgain = isBeating
      return
    }
    isBeating = true
    isAskedAgain = false
    const results = await Promise.allSettled([...tasks].map((task) => task()))
    isBeating = false
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    for (const error of errors) if (!(error instanceof ServiceAway)) ports.report(error)
    const delayMs = settle(errors.find((error) => error instanceof ServiceAway) ?? null)
    callOff = ports.schedule(isAskedAgain ? 0 : delayMs, beat)
  }

  ports.onVisibilityChange(() => (ports.isVisible() ? void beat() : callOff()))

  return {
    /** Runs the task soon and then at every beat, until it is removed. */
    join(task: PulseTask): () => void {
      tasks.add(task)
      beatSoon()
      return () => void tasks.delete(task)
    },
    /** For when something is known to have changed. */
    beatSoon,
    status: () => status,
    onStatus(listener: (status: PulseStatus) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }

  /** Everything that asks within one turn shares one beat. */
  function beatSoon(): void {
    if (isBeating) {
      isAskedAgain = true
      return
    }
    callOff()
    callOff = ports.schedule(0, beat)
  }
}
