/** Looks at a transaction, less and less often, until it has come as far as was asked or cannot come there. */
import { startDeadline } from './deadline.ts'
import { delay } from './delay.ts'
import type { Transaction } from './generated/api-types.ts'
import type { CallOptions } from './operation.ts'
import { createOutage, type Outage } from './outage.ts'
import { findFailure, hasReached, type Stage, type Stages, tookTooLong } from './stage.ts'
import type { RetryNotice } from './transport.ts'

export interface WaitOptions extends CallOptions {
  /** Then `wait` fails with `wait_timeout`; the transaction goes on. Left out: as long as it takes. */
  readonly timeoutMs?: number
  /** `fail` (default): a STUCK transaction ends the wait. `wait`: it may still be helped, or be included late. */
  readonly onStuck?: 'fail' | 'wait'
  /** How long the service may be out of reach, in a row, before the wait fails. Five minutes if left out. */
  readonly maxOutageMs?: number
}

export interface WaitPorts {
  readonly snapshot: () => Transaction
  readonly refresh: (options: CallOptions) => Promise<Transaction>
  onRetry(notice: RetryNotice): void
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS, GROWTH] = [200, 3_000, 1.4]
const MAX_OUTAGE_MS = 5 * 60_000

export async function waitForStage<S extends Stage>(
  ports: WaitPorts,
  stage: S,
  { signal, timeoutMs, onStuck = 'fail', maxOutageMs = MAX_OUTAGE_MS }: WaitOptions,
): Promise<Stages[S]> {
  const reason = () => tookTooLong(ports.snapshot(), stage, timeoutMs ?? 0)
  const deadline = startDeadline({ signal, timeoutMs, reason })
  try {
    return await watch(ports, stage, { signal: deadline.signal, onStuck, maxOutageMs })
  } finally {
    deadline.close()
  }
}

interface Watch {
  readonly signal: AbortSignal
  readonly onStuck: 'fail' | 'wait'
  readonly maxOutageMs: number
}

async function watch<S extends Stage>(ports: WaitPorts, stage: S, options: Watch): Promise<Stages[S]> {
  const { signal, onStuck, maxOutageMs } = options
  const outage = createOutage(maxOutageMs)
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
    // What was seen before may be long past: only a new look tells whether it is stuck, or still in its block.
    const tx = await lookThroughOutages(ports, outage, signal)
    if (hasReached(tx, stage)) return tx
    const failure = findFailure(tx, stage)
    if (failure !== null && !(tx.state === 'STUCK' && onStuck === 'wait')) throw failure
    await delay(pauseMs, signal)
  }
}

async function lookThroughOutages(
  { refresh, onRetry }: WaitPorts,
  outage: Outage,
  signal: AbortSignal,
): Promise<Transaction> {
  for (;;) {
    try {
      const tx = await refresh({ signal })
      outage.end()
      return tx
    } catch (caught) {
      signal.throwIfAborted()
      const { error, failures, delayMs } = outage.bear(caught)
      onRetry({ operation: 'wait', error, tries: failures, delayMs })
      await delay(delayMs, signal)
    }
  }
}
