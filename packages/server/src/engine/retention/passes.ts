/**
 * Work that is never urgent, in passes: one statement after the other, with pauses in between, so that it takes a small
 * share of the database's time however much there is to do.
 */
import type { Clock } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface Passes {
  start(): void
  /** Finishes the statement that is running and starts no other. */
  stop(): Promise<void>
}

export interface Pace {
  /** Runs a statement again and again, with pauses, until it says that nothing is left. */
  repeat(step: () => Promise<boolean>): Promise<void>
  /** Ends early when the passes are stopped. */
  rest(ms: number): Promise<void>
}

interface PassPorts {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly everyMs: number
  /** What the log says if a pass fails. */
  readonly failure: string
  pass(pace: Pace): Promise<void>
}

const MIN_PAUSE_MS = 50
/** Pauses are this many times as long as the statement before: it uses a tenth of the time. */
const PAUSE_SHARE = 9
/** After this long the rest waits for the next pass. */
const MAX_STEP_MS = 5 * 60_000

export function createPasses({ clock, telemetry, everyMs, failure, pass }: PassPorts): Passes {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let cancelPass = (): void => {}
  let endPause = (): void => {}

  async function repeat(step: () => Promise<boolean>): Promise<void> {
    const endAt = clock.monotonic() + MAX_STEP_MS
    while (!stopped) {
      const startedAt = clock.monotonic()
      const hasMore = await step()
      const endedAt = clock.monotonic()
      if (!hasMore || endedAt > endAt) return
      await rest(Math.max(MIN_PAUSE_MS, (endedAt - startedAt) * PAUSE_SHARE))
    }
  }

  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(ms, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
      if (stopped) endPause()
    })
  }

  function run(): void {
    running = pass({ repeat, rest })
      .catch((error: unknown) => {
        telemetry.log(error instanceof StoreUnavailable ? 'warn' : 'error', failure, { error })
      })
      .finally(() => {
        if (!stopped) cancelPass = clock.schedule(everyMs, run)
      })
  }

  return {
    start: run,
    stop: async () => {
      stopped = true
      cancelPass()
      endPause()
      await running
    },
  }
}
