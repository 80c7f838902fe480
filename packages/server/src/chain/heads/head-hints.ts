/**
 * Signals listeners that there may be a new head: a cheap poll that runs only while there are listeners, and a
 * subscription in front of it if a WebSocket URL is configured. Both may lose a head; the poll finds the next one.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { RpcUrl } from '../rpc/rpc-url.ts'
import { createHeadSubscription } from './head-subscription.ts'
import type { PollPace } from './poll-pace.ts'

export interface HeadHintsOptions {
  readonly chainId: number
  readonly pace: PollPace
  readonly sockets: readonly RpcUrl[]
  readonly readHeight: () => Promise<number>
  readonly clock: Clock
  readonly telemetry: Telemetry
}

export interface HeadHints {
  listen(listener: () => void): () => void
  close(): void
}

/** A poll without an answer for this long is worth a check: waiting until it times out would hide a node that hangs. */
const SLOW_POLL_MS = 1_000
/** A node that always takes that long is not in trouble: what counts is that it takes much longer than it did. */
const SLOWER = 2

export function createHeadHints(options: HeadHintsOptions): HeadHints {
  const { clock, telemetry, pace } = options
  const listeners = new Set<() => void>()
  let lastHeight: number | null = null
  let stop: (() => void) | null = null

  function hint(): void {
    for (const listener of [...listeners]) listener()
  }

  function startPolling(): () => void {
    let stopped = false
    let cancel = () => {}
    /** The longest of the last few polls, the older ones counting less. */
    let usualMs = 0
    /** Asks for the height, and hints once if the answer is late. */
    async function readHeight(): Promise<number> {
      const isNews = lastHeight !== null
      const startedAt = clock.monotonic()
      const lateMs = Math.max(SLOW_POLL_MS, usualMs * SLOWER)
      const cancelAlarm = clock.schedule(lateMs, () => isNews && !stopped && hint())
      try {
        const height = await options.readHeight()
        usualMs = Math.max(clock.monotonic() - startedAt, usualMs / 2)
        return height
      } finally {
        cancelAlarm()
      }
    }
    async function poll(): Promise<void> {
      try {
        const height = await readHeight()
        pace.learn(height)
        if (height !== lastHeight && !stopped) {
          lastHeight = height
          hint()
        }
      } catch (error) {
        telemetry.log('debug', 'polling for the head failed', { chainId: options.chainId, error: String(error) })
        // Heads may have been missed meanwhile: the first failure and the first response after it are worth a check.
        if (lastHeight !== null && !stopped) hint()
        lastHeight = null
      }
      if (!stopped) cancel = clock.schedule(pace.delayMs(), () => void poll())
    }
    cancel = clock.schedule(0, () => void poll())
    return () => {
      stopped = true
      cancel()
    }
  }

  function start(): () => void {
    const sources = options.sockets.map((target) => createHeadSubscription({ ...options, target, onHead: hint }))
    const stopPolling = startPolling()
    return () => {
      stopPolling()
      for (const source of sources) source.close()
    }
  }

  function end(): void {
    stop?.()
    stop = null
    lastHeight = null
  }

  return {
    listen(listener) {
      // A separate wrapper, so that one function may listen twice.
      const entry = () => listener()
      listeners.add(entry)
      stop ??= start()
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) end()
      }
    },
    close() {
      listeners.clear()
      end()
    },
  }
}
