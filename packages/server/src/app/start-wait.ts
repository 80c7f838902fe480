/**
 * Waits at the start for missing dependencies: the database, or the RPC nodes of a chain whose id only they know.
 * Meanwhile the service's address responds, and `/readyz` says what is missing.
 */
import type { ReadinessProblem } from '../api/api-services.ts'
import { createWaitingRoom } from '../api/server/waiting-room.ts'
import { backOff } from '../core/back-off.ts'
import { CHAIN_STEPS, DATABASE_STEP } from '../core/explain/next-steps.ts'
import { chainRunbookEntry, DATABASE_ENTRY } from '../core/explain/runbook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface StartWait {
  /** Tries until it works. `describe` says why it failed for now, or null if a retry cannot help. */
  until<T>(part: string, attempt: () => Promise<T>, describe: (error: unknown) => string | null): Promise<T>
  /** The port to listen on from now on: the one that responded meanwhile. Null: there is no HTTP server. */
  end(): Promise<{ readonly host: string; readonly port: number } | null>
}

interface StartWaitPorts {
  /** Null: nothing responds meanwhile. */
  readonly http: { readonly host: string; readonly port: number } | null
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Told to stop before it was ready. */
  readonly signal: AbortSignal
}

const STEPS: Readonly<Record<string, string>> = { database: DATABASE_STEP, chain: CHAIN_STEPS.unreachable ?? '' }
const ENTRIES: Readonly<Record<string, string | null>> = {
  database: DATABASE_ENTRY,
  chain: chainRunbookEntry('unreachable'),
}
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

export function createStartWait({ http, clock, telemetry, signal }: StartWaitPorts): StartWait {
  const missing = new Map<string, string>()
  const problems = (): readonly ReadinessProblem[] =>
    [...missing].map(([part, message]) => {
      return { part, message, action: STEPS[part] ?? '', runbook: ENTRIES[part] ?? null, isMinor: false }
    })
  const room = http && createWaitingRoom({ ...http, problems })
  let hasEnded = false

  async function waitFor(part: string, why: string, pauseMs: number): Promise<void> {
    missing.set(part, why)
    const at = room && { url: await room.open() }
    const fields = { ...at, error: why, next: STEPS[part], runbook: ENTRIES[part] }
    telemetry.log('warn', `Drover cannot start yet: waiting for the ${part}`, fields)
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(pauseMs, resolve)
      signal.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }

  async function end(): ReturnType<StartWait['end']> {
    hasEnded = true
    await room?.close()
    return http && { host: http.host, port: room?.port() ?? http.port }
  }

  return {
    until: async (part, attempt, describe) => {
      for (let failures = 1; ; failures++) {
        try {
          const result = await attempt()
          missing.delete(part)
          return result
        } catch (error) {
          const why = describe(error)
          if (why === null || hasEnded) {
            await end()
            throw error
          }
          await waitFor(part, why, backOff(failures, { first: FIRST_PAUSE_MS, max: MAX_PAUSE_MS }))
        }
        if (signal.aborted) {
          await end()
          throw signal.reason
        }
      }
    },
    end,
  }
}
