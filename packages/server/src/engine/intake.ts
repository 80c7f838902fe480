/**
 * Group commit of acceptance.
 *
 * Requests that arrive within a few milliseconds of each other are stored by one database transaction. A batch leaves
 * when it is full or when its oldest item has lingered long enough, whichever is first; a few batches may be on their way
 * at once, so that a slow commit does not stop the next one from forming. Everything else waits in one bounded queue,
 * and what does not fit there is refused at once: a queue that grows only turns overload into time-outs.
 *
 * A flush that the store could not answer may have committed. It is sent again as it is: ids and request ids make the
 * insert idempotent, so that a repeat finds the rows of the first try. An item that meets its own id has been inserted,
 * whatever the store calls it. An item that is older than its deadline is given up, wherever it is on its way, and its
 * fate is said to be unknown.
 */
import { AppError } from '../core/app-error.ts'
import type { Transaction, TxId } from '../core/transaction.ts'
import type { Clock } from '../ports/clock.ts'
import { type InsertOutcome, type NewTransaction, type Store, StoreUnavailable } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { pause } from './pause.ts'

/** As the store's, save that a row found by its own repeat may have moved on from QUEUED already. */
export type IntakeOutcome =
  | { readonly type: 'inserted'; readonly transaction: Transaction }
  | { readonly type: 'existing'; readonly transaction: Transaction }
  | { readonly type: 'conflict'; readonly transactionId: TxId }
  | { readonly type: 'unknown_signer' }

export interface IntakeLimits {
  readonly lingerMs: number
  readonly maxBatch: number
  readonly maxFlushes: number
  readonly maxWaiting: number
  readonly deadlineMs: number
}

export const INTAKE_LIMITS: IntakeLimits = {
  lingerMs: 3,
  maxBatch: 500,
  maxFlushes: 2,
  maxWaiting: 5_000,
  deadlineMs: 10_000,
}

export interface Intake {
  submit(item: NewTransaction): Promise<IntakeOutcome>
  /** Refuses what comes from now on, stores what is waiting, and resolves when nothing is left. */
  drain(): Promise<void>
}

interface IntakePorts {
  readonly store: Pick<Store, 'insertTransactions'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly limits?: Partial<IntakeLimits>
}

type Entry = Pending<NewTransaction, IntakeOutcome>

const QUEUE = { queue: 'intake' }
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000

export function createIntake({ store, clock, telemetry, limits: given }: IntakePorts): Intake {
  const limits = { ...INTAKE_LIMITS, ...given }

  async function insert(entries: readonly Entry[]): Promise<void> {
    const outcomes = await store.insertTransactions(entries.map((entry) => entry.item))
    if (outcomes.length !== entries.length) {
      throw new Error(`the store answered ${outcomes.length} of ${entries.length} inserts`)
    }
    for (const [index, entry] of entries.entries()) {
      const outcome = outcomes[index]
      if (outcome !== undefined) entry.resolve(recogniseOwn(entry.item.id, outcome))
    }
  }

  async function flush(batch: readonly Entry[]): Promise<void> {
    telemetry.observe('drover_flush_size', batch.length, QUEUE)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const left = batch.filter((entry) => !entry.isSettled())
      if (left.length === 0) return
      try {
        const startedAt = clock.monotonic()
        await insert(left)
        return telemetry.observe('drover_flush_seconds', (clock.monotonic() - startedAt) / 1_000, QUEUE)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        telemetry.log('warn', 'accepted requests could not be stored yet', { items: left.length, error: error.message })
        await pause(clock, pauseMs)
      }
    }
  }

  const batcher = createBatcher<NewTransaction, IntakeOutcome>({
    clock,
    lingerMs: limits.lingerMs,
    maxBatch: limits.maxBatch,
    maxRunning: limits.maxFlushes,
    maxWaiting: limits.maxWaiting,
    deadlineMs: limits.deadlineMs,
    expire: unknownFate,
    run: flush,
    onWaiting: (count) => telemetry.gauge('drover_queue_depth', count, QUEUE),
  })
  return { submit: batcher.add, drain: batcher.drain }
}

function recogniseOwn(id: TxId, outcome: InsertOutcome): IntakeOutcome {
  const isOwn = outcome.type === 'existing' && outcome.transaction.id === id
  return isOwn ? { type: 'inserted', transaction: outcome.transaction } : outcome
}

function unknownFate(item: NewTransaction): AppError {
  const how =
    item.intent.requestId === null
      ? `whether it was stored is told by looking for transaction ${item.id}`
      : 'whether it was stored is told by sending it again with the same request id'
  const message = `The database did not answer in time; ${how}.`
  return new AppError('database_unavailable', message, { retryAfterMs: LONGEST_PAUSE_MS, id: item.id })
}

/** One item on its way through a batcher. The first to settle it decides: whoever runs its batch, or its deadline. */
export interface Pending<T, R> {
  readonly item: T
  /** When it came, by the monotonic clock. */
  readonly since: number
  isSettled(): boolean
  resolve(result: R): void
  reject(error: unknown): void
}

export interface Batcher<T, R> {
  add(item: T): Promise<R>
  drain(): Promise<void>
}

interface BatcherOptions<T, R> {
  readonly clock: Clock
  readonly lingerMs: number
  readonly maxBatch: number
  readonly maxRunning: number
  readonly maxWaiting: number
  /** However long its turn and its batch take, an item waits no longer than this. */
  readonly deadlineMs: number
  expire(item: T): Error
  /** Settles every entry of the batch; what it throws is the fate of those it did not settle. */
  run(batch: readonly Pending<T, R>[]): Promise<void>
  /** Told after every batch that leaves: how many are still waiting. */
  onWaiting?(count: number): void
}

export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { clock } = options
  const waiting: Pending<T, R>[] = []
  const whenIdle: (() => void)[] = []
  let running = 0
  let draining = false
  let cancelLinger: (() => void) | null = null

  function add(item: T): Promise<R> {
    if (draining) return Promise.reject(refuse('This node is stopping and takes no more requests'))
    if (waiting.length >= options.maxWaiting) return Promise.reject(refuse('Too many requests are waiting'))
    return new Promise((resolve, reject) => {
      waiting.push(createPending(options, item, resolve, reject))
      advance()
    })
  }

  /** Starts what may start now and sees to it that the rest starts in time. */
  function advance(): void {
    while (running < options.maxRunning && (waiting.length >= options.maxBatch || (draining && waiting.length > 0))) {
      start()
    }
    const oldest = waiting[0]
    if (oldest === undefined || running >= options.maxRunning || cancelLinger !== null) return
    const delayMs = Math.max(0, options.lingerMs - (clock.monotonic() - oldest.since))
    cancelLinger = clock.schedule(delayMs, () => {
      cancelLinger = null
      if (waiting.length > 0 && running < options.maxRunning) start()
      advance()
    })
  }

  function start(): void {
    const batch = waiting.splice(0, options.maxBatch).filter((entry) => !entry.isSettled())
    if (batch.length === 0) return
    running += 1
    options.onWaiting?.(waiting.length)
    options
      .run(batch)
      .catch((error: unknown) => {
        for (const entry of batch) entry.reject(error)
      })
      .finally(() => {
        running -= 1
        advance()
        if (running === 0 && waiting.length === 0) for (const idle of whenIdle.splice(0)) idle()
      })
  }

  function drain(): Promise<void> {
    draining = true
    advance()
    if (running === 0 && waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => whenIdle.push(resolve))
  }

  return { add, drain }
}

function createPending<T, R>(
  { clock, deadlineMs, expire }: BatcherOptions<T, R>,
  item: T,
  resolve: (result: R) => void,
  reject: (error: unknown) => void,
): Pending<T, R> {
  let settled = false
  const cancelDeadline = clock.schedule(deadlineMs, () => settle(() => reject(expire(item))))

  function settle(tell: () => void): void {
    if (settled) return
    settled = true
    cancelDeadline()
    tell()
  }

  return {
    item,
    since: clock.monotonic(),
    isSettled: () => settled,
    resolve: (result) => settle(() => resolve(result)),
    reject: (error) => settle(() => reject(error)),
  }
}

function refuse(why: string): AppError {
  return new AppError('queue_full', `${why}; nothing was stored, so send it again after the time given.`, {
    retryAfterMs: 1_000,
  })
}
