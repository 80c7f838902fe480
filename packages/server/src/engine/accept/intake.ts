/**
 * Group commit of acceptance: requests that arrive within a few milliseconds of each other are stored by one database
 * transaction. Only one runs at a time. Requests that arrive meanwhile are stored by the next, so batches grow with
 * load by themselves. Two at once would only wait for each other, for the lane and for the head of the event stream.
 *
 * A flush that got no response from the store may have committed. It is sent again unchanged: ids and request ids make
 * the insert idempotent, so a repeat finds the rows of the first try. An item that meets its own id has been inserted,
 * whatever the store calls it. An item that is older than its deadline is given up, wherever it is, and reported as
 * unknown.
 */
import { AppError } from '../../core/app-error.ts'
import { backOff } from '../../core/back-off.ts'
import type { Refused } from '../../core/rules/judge.ts'
import type { Transaction, TxId } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import { type InsertOutcome, type NewTransaction, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pause } from '../pause.ts'
import type { RuledOutcome } from '../rules/ruled-insert.ts'
import { createBatcher, type Pending } from '../write/batcher.ts'

/** Same as the store's, except that a row found by its own repeat may have moved on from QUEUED already. */
export type IntakeOutcome =
  | { readonly type: 'inserted'; readonly transaction: Transaction }
  | { readonly type: 'existing'; readonly transaction: Transaction }
  | { readonly type: 'conflict'; readonly transactionId: TxId }
  | { readonly type: 'unknown_signer' }
  | { readonly type: 'refused_by_rule'; readonly refused: Refused }

export interface IntakeLimits {
  readonly lingerMs: number
  readonly maxBatch: number
  readonly maxFlushes: number
  readonly maxWaiting: number
  readonly deadlineMs: number
}

const INTAKE_LIMITS: IntakeLimits = {
  lingerMs: 3,
  maxBatch: 500,
  maxFlushes: 1,
  maxWaiting: 5_000,
  deadlineMs: 10_000,
}

export interface Intake {
  submit(item: NewTransaction): Promise<IntakeOutcome>
  /** Stores the items in one database transaction, queued in this order. Returns an outcome for each. */
  submitTogether(items: readonly NewTransaction[]): readonly Promise<IntakeOutcome>[]
  /** Refuses new items, stores those that are waiting, and resolves when nothing is left. */
  drain(): Promise<void>
}

interface IntakePorts {
  /** With the spending rules around it. */
  readonly store: {
    insertTransactions(batch: readonly NewTransaction[]): Promise<readonly (RuledOutcome | InsertOutcome)[]>
  }
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly limits?: Partial<IntakeLimits>
  /** Lets other work have the thread. */
  rest?(): Promise<void>
}

type Entry = Pending<NewTransaction, IntakeOutcome>

const QUEUE = { queue: 'intake' }
const LONG_GROUP = 100
/** Answers per pass of the event loop. */
const ANSWERS = 50
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

export function createIntake({ store, clock, telemetry, rest, limits: given }: IntakePorts): Intake {
  const limits = { ...INTAKE_LIMITS, ...given }

  async function insert(entries: readonly Entry[]): Promise<void> {
    const outcomes = await store.insertTransactions(entries.map((entry) => entry.item))
    if (outcomes.length !== entries.length) {
      throw new Error(`the store answered ${outcomes.length} of ${entries.length} inserts`)
    }
    for (const [index, entry] of entries.entries()) {
      // Each answer continues a request: a long group must not hold up everyone else's.
      if (index > 0 && index % ANSWERS === 0) await rest?.()
      const outcome = outcomes[index]
      if (outcome !== undefined) entry.resolve(recogniseOwn(entry.item.id, outcome))
    }
  }

  async function flush(batch: readonly Entry[]): Promise<void> {
    telemetry.observe('drover_flush_size', batch.length, QUEUE)
    for (let failures = 1; ; failures++) {
      const left = batch.filter((entry) => !entry.isSettled())
      if (left.length === 0) return
      try {
        const startedAt = clock.monotonic()
        await insert(left)
        return telemetry.observe('drover_flush_seconds', (clock.monotonic() - startedAt) / 1_000, QUEUE)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        telemetry.log('warn', 'could not store accepted requests yet', { items: left.length, error: error.message })
        await pause(clock, backOff(failures, { first: FIRST_PAUSE_MS, max: MAX_PAUSE_MS }))
      }
    }
  }

  const options = {
    clock,
    lingerMs: limits.lingerMs,
    maxBatch: limits.maxBatch,
    maxWaiting: limits.maxWaiting,
    deadlineMs: limits.deadlineMs,
    expire: unknownFate,
    run: flush,
  }
  const batcher = createBatcher<NewTransaction, IntakeOutcome>({
    ...options,
    maxRunning: limits.maxFlushes,
    onWaiting: (count) => telemetry.gauge('drover_queue_depth', count, QUEUE),
  })
  // Long groups have their own queue and leave one by one: a single request never waits behind them.
  const groups = createBatcher<NewTransaction, IntakeOutcome>({
    ...options,
    maxBatch: 1,
    maxRunning: limits.maxFlushes,
  })
  return {
    submit: batcher.add,
    submitTogether: (items) => (items.length > LONG_GROUP ? groups : batcher).addTogether(items),
    drain: async () => {
      await Promise.all([batcher.drain(), groups.drain()])
    },
  }
}

function recogniseOwn(id: TxId, outcome: RuledOutcome | InsertOutcome): IntakeOutcome {
  if (outcome.type === 'not_judged') throw new Error(`transaction ${id} was not held against its rules`)
  const isOwn = outcome.type === 'existing' && outcome.transaction.id === id
  return isOwn ? { type: 'inserted', transaction: outcome.transaction } : outcome
}

function unknownFate(item: NewTransaction): AppError {
  const how =
    item.intent.requestId === null
      ? `Look for transaction ${item.id} to see whether it was stored`
      : 'Send it again with the same request id to see whether it was stored'
  const message = `The database did not respond in time. ${how}.`
  return new AppError('database_unavailable', message, { retryAfterMs: MAX_PAUSE_MS, id: item.id })
}
