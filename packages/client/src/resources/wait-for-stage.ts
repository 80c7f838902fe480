/**
 * Polls a transaction until it reaches the requested stage or cannot reach it. The service holds the response until
 * then. If it does not, or answers that the stage is not reached yet, the polls get less and less frequent.
 */

import type { Transaction } from '../generated/api-types.ts'
import { backOff } from '../generated/back-off.ts'
import { startDeadline } from '../transport/deadline.ts'
import { delay } from '../transport/delay.ts'
import { DroverError } from '../transport/drover-error.ts'
import type { CallOptions, OperationInput } from '../transport/operation.ts'
import { createOutage, type Outage } from '../transport/outage.ts'
import type { RetryNotice } from '../transport/transport.ts'
import type { HeldWaits } from './held-waits.ts'
import { findFailure, hasReached, type Stage, type Stages, tookTooLong } from './stage.ts'

export interface WaitOptions extends CallOptions {
  /** After this time `wait` fails with `wait_timeout`; the transaction continues. Default: no limit. */
  readonly timeoutMs?: number
  /** `fail` (default): a STUCK transaction ends the wait. `wait`: it may still be rescued, or be mined late. */
  readonly onStuck?: 'fail' | 'wait'
  /** How long the service may be unreachable, in a row, before the wait fails. Default: five minutes. */
  readonly maxOutageMs?: number
}

export type WaitQuery = NonNullable<OperationInput<'GET /v1/transactions/{id}'>['query']>

export interface WaitPorts {
  readonly snapshot: () => Transaction
  readonly look: (query: WaitQuery, options: CallOptions) => Promise<Transaction>
  readonly heldWaits: HeldWaits
  onRetry(notice: RetryNotice): void
}

const PAUSES = { first: 200, max: 3_000, factor: 1.4 }
/** A response that took at least this long was held by the service, and is no reason to poll less often. */
const HELD_FOR_MS = 1_000
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
  for (let looks = 1; ; looks++) {
    const askedAt = performance.now()
    // The last known state may be outdated: only a fresh read shows whether it is stuck, or still in its block.
    const tx = await lookThroughOutages(ports, stage, outage, signal)
    if (hasReached(tx, stage)) return tx
    const failure = findFailure(tx, stage)
    if (failure !== null && !(tx.state === 'STUCK' && onStuck === 'wait')) throw failure
    if (performance.now() - askedAt >= HELD_FOR_MS) looks = 1
    await delay(backOff(looks, PAUSES), signal)
  }
}

async function lookThroughOutages(
  ports: WaitPorts,
  stage: Stage,
  outage: Outage,
  signal: AbortSignal,
): Promise<Transaction> {
  for (;;) {
    try {
      const tx = await ports.heldWaits.with((holdMs) => lookOnce(ports, stage, holdMs, signal))
      outage.end()
      return tx
    } catch (caught) {
      signal.throwIfAborted()
      const { error, failures, delayMs } = outage.bear(caught)
      ports.onRetry({ operation: 'wait', error, tries: failures, delayMs })
      await delay(delayMs, signal)
    }
  }
}

async function lookOnce(
  { look }: WaitPorts,
  wait: Stage,
  timeoutMs: number | null,
  signal: AbortSignal,
): Promise<Transaction> {
  if (timeoutMs === null) return look({}, { signal })
  try {
    return await look({ wait, timeoutMs }, { signal })
  } catch (error) {
    if (!(error instanceof DroverError && error.code === 'too_many_waiting')) throw error
    return look({}, { signal })
  }
}
