/**
 * Collects single requests into batches. A batch leaves when it is full or when its oldest item has lingered long
 * enough, whichever is first. A few batches may be in progress at once. Everything else waits in one bounded queue, and
 * what does not fit there is refused at once: a growing queue only turns overload into time-outs. An item that is older
 * than its deadline is given up, wherever it is.
 */
import { AppError } from '../../core/app-error.ts'
import type { Clock } from '../../ports/clock.ts'

/** One item on its way through a batcher. The first to settle it decides: the run of its batch, or its deadline. */
export interface Pending<T, R> {
  readonly item: T
  /** When it arrived, by the monotonic clock. */
  readonly since: number
  isSettled(): boolean
  resolve(result: R): void
  reject(error: unknown): void
}

export interface Batcher<T, R> {
  add(item: T): Promise<R>
  /** Like repeated `add`, but these leave in one batch and in this order, even if that makes it longer than others. */
  addTogether(items: readonly T[]): readonly Promise<R>[]
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
  /** Settles every entry of the batch; if it throws, the entries that it did not settle get that error. */
  run(batch: readonly Pending<T, R>[]): Promise<void>
  /** Called after every batch that leaves: how many are still waiting. */
  onWaiting?(count: number): void
}

export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { clock } = options
  const waiting: Pending<T, R>[] = []
  /** Entries that are followed by one of the same group. */
  const heldToNext = new WeakSet<Pending<T, R>>()
  const whenIdle: (() => void)[] = []
  let running = 0
  let draining = false
  let cancelLinger: (() => void) | null = null

  function addTogether(items: readonly T[]): readonly Promise<R>[] {
    let last: Pending<T, R> | null = null
    const results = items.map((item) => {
      if (draining) return Promise.reject(refuse('This node is stopping and accepts no more requests'))
      if (waiting.length >= options.maxWaiting) return Promise.reject(refuse('Too many requests are waiting'))
      return new Promise<R>((resolve, reject) => {
        const entry = createPending(options, item, resolve, reject)
        if (last !== null) heldToNext.add(last)
        waiting.push(entry)
        last = entry
      })
    })
    advance()
    return results
  }

  function add(item: T): Promise<R> {
    const [result] = addTogether([item])
    if (result === undefined) throw new Error('one item has one result')
    return result
  }

  /** Starts what may start now and makes sure that the rest starts in time. */
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
    const batch = takeBatch().filter((entry) => !entry.isSettled())
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

  function takeBatch(): readonly Pending<T, R>[] {
    let size = Math.min(options.maxBatch, waiting.length)
    for (let last = waiting[size - 1]; last !== undefined && heldToNext.has(last); last = waiting[size - 1]) size += 1
    return waiting.splice(0, size)
  }

  function drain(): Promise<void> {
    draining = true
    advance()
    if (running === 0 && waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => whenIdle.push(resolve))
  }

  return { add, addTogether, drain }
}

function createPending<T, R>(
  { clock, deadlineMs, expire }: BatcherOptions<T, R>,
  item: T,
  resolve: (result: R) => void,
  reject: (error: unknown) => void,
): Pending<T, R> {
  let settled = false
  const cancelDeadline = clock.schedule(deadlineMs, () => settle(() => reject(expire(item))))

  function settle(answer: () => void): void {
    if (settled) return
    settled = true
    cancelDeadline()
    answer()
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
  return new AppError('queue_full', `${why}. Nothing was stored, so retry after the time given.`, {
    retryAfterMs: 1_000,
  })
}
