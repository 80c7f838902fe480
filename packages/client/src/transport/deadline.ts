/** A signal that fires when the caller's does or when time is up, and leaves nothing behind when it is closed. */

export interface Deadline {
  readonly signal: AbortSignal
  /** Time is up, as opposed to: the caller wants no more. */
  readonly expired: boolean
  close(): void
}

export interface DeadlineOptions {
  readonly signal?: AbortSignal | undefined
  /** None: only the caller's signal counts. */
  readonly timeoutMs?: number | undefined
  /** What the signal shall say when time is up. */
  reason(): unknown
}

/** Timers that are set for longer go off at once. It is 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** By hand, because `AbortSignal.any` is missing in older browsers and holds on to every long-lived signal it was given. */
export function startDeadline({ signal, timeoutMs, reason }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let expired = false
  const follow = () => controller.abort(signal?.reason)
  if (signal?.aborted) follow()
  signal?.addEventListener('abort', follow, { once: true })
  const expire = () => {
    expired = !controller.signal.aborted
    controller.abort(reason())
  }
  const timer = timeoutMs === undefined || timeoutMs > MAX_TIMER_MS ? null : setTimeout(expire, timeoutMs)
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    close() {
      if (timer !== null) clearTimeout(timer)
      signal?.removeEventListener('abort', follow)
    },
  }
}
