/**
 * Notices a database that takes statements and answers none, as a frozen server or a cut network does, and keeps reads from
 * waiting for it until their connections time out.
 *
 * A statement may take long for reasons of its own. So the database counts as silent only if nothing at all was answered for a
 * while, and a question over a new connection gets no answer either. That question is repeated until it is answered.
 *
 * Reads that were sent meanwhile are still tried, but not for long: the first one after the silence works. Other statements are
 * never given up here, because only their own end says whether they were done.
 */

import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'

export interface SilenceWatch {
  run<T>(statement: () => Promise<T>, isRead: boolean): Promise<T>
  close(): void
}

interface SilencePorts {
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  /** Asks the server anything, over a new connection; ends within a bounded time. */
  ask(): Promise<unknown>
  /** Whether this failure is an answer of the server: then it is not silent. */
  isAnswer(error: unknown): boolean
  /** Whether it means that the server is not up, as while it starts: then a silence is not over. */
  isOutage(error: unknown): boolean
  onSilence(error: StoreUnavailable): void
  onAnswer(): void
}

interface WaitingRead {
  readonly since: number
  reject(error: StoreUnavailable): void
  cancel(): void
}

/** Without any answer for this long, the server is asked whether it is there. */
const QUIET_MS = 2_000
/** How long it has for that. */
export const ASK_MS = 3_000
/** How long a read waits for a database that is known to be silent. */
const PATIENCE_MS = 1_000
const PAUSE_MS = 500
/** A question that took this much longer than it may was not waited for: the process did not run. */
const FROZEN_MS = 1_000

export function createSilenceWatch(ports: SilencePorts): SilenceWatch {
  const { clock, ask, onSilence, onAnswer } = ports
  const reads = new Set<WaitingRead>()
  let waiting = 0
  let heardAt = clock.monotonic()
  let isSilent = false
  let isWatching = false
  let isClosed = false
  let cancel = (): void => {}

  function noteAnswer(): void {
    heardAt = clock.monotonic()
    if (!isSilent) return
    isSilent = false
    for (const read of reads) read.cancel()
    onAnswer()
  }

  /** Returns whether the server was heard. */
  function noteFailure(error: unknown): boolean {
    if (!ports.isAnswer(error)) return false
    if (ports.isOutage(error)) heardAt = clock.monotonic()
    else noteAnswer()
    return true
  }

  function noteSilence(): void {
    if (isSilent) return
    isSilent = true
    for (const read of reads) limit(read)
    onSilence(describeSilence())
  }

  function limit(read: WaitingRead): void {
    const leftMs = Math.max(0, PATIENCE_MS - (clock.monotonic() - read.since))
    read.cancel = clock.schedule(leftMs, () => read.reject(describeSilence()))
  }

  function watch(): void {
    if (isWatching || isClosed) return
    isWatching = true
    cancel = clock.schedule(QUIET_MS, check)
  }

  function check(): void {
    if (isClosed) return
    const leftMs = QUIET_MS - (clock.monotonic() - heardAt)
    if (waiting === 0 && !isSilent) isWatching = false
    else if (isSilent || leftMs <= 0) void question()
    else cancel = clock.schedule(Math.ceil(leftMs), check)
  }

  async function question(): Promise<void> {
    const before = heardAt
    const askedAt = clock.monotonic()
    // An answer that comes late is noted all the same.
    const answer = ask().then(() => {
      noteAnswer()
      return true
    }, noteFailure)
    const isHeard = await answerOrLate(answer)
    cancel()
    if (isClosed) return
    // The timers of a process that was frozen run before it reads what arrived meanwhile: then only another question can tell.
    const wasFrozen = clock.monotonic() - askedAt > ASK_MS + FROZEN_MS
    if (!isHeard && heardAt === before && !wasFrozen) noteSilence()
    cancel = clock.schedule(isSilent ? PAUSE_MS : QUIET_MS, check)
  }

  function answerOrLate(answer: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      cancel = clock.schedule(ASK_MS, () => resolve(false))
      void answer.then(resolve)
    })
  }

  function waitWithin<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const read: WaitingRead = { since: clock.monotonic(), reject, cancel: () => {} }
      reads.add(read)
      if (isSilent) limit(read)
      const end = (): void => {
        read.cancel()
        reads.delete(read)
      }
      result.then(
        (value) => {
          end()
          resolve(value)
        },
        (error: unknown) => {
          end()
          reject(error)
        },
      )
    })
  }

  return {
    run<T>(statement: () => Promise<T>, isRead: boolean): Promise<T> {
      if (waiting++ === 0 && !isSilent) heardAt = clock.monotonic()
      watch()
      const result = statement().then(
        (value) => {
          waiting--
          noteAnswer()
          return value
        },
        (error: unknown) => {
          waiting--
          noteFailure(error)
          throw error
        },
      )
      return isRead ? waitWithin(result) : result
    },
    close() {
      isClosed = true
      cancel()
      for (const read of reads) read.cancel()
    },
  }
}

function describeSilence(): StoreUnavailable {
  return new StoreUnavailable(`the database cannot be reached: no answer for ${(QUIET_MS + ASK_MS) / 1_000} s`)
}
