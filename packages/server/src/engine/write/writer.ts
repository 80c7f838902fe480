/**
 * Group commit for all lanes of a node. The first write waits a few milliseconds for others. Writes that arrive during
 * a flush are stored together by the next one, so batches grow with load by themselves. Two flushes at once would wait
 * for each other at the head of the event stream, so a second one starts only with a full batch, or beside a slow one:
 * a lane that waits for a lock must not delay the others. A lane has at most one write in progress. If the store does
 * not respond, the write is retried until it does: versions make a repeated write harmless, and the lease stops a lane
 * that waited too long.
 */

import { backOff } from '../../core/back-off.ts'
import { laneKey } from '../../core/lane/lane.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LaneWrite, LaneWriteResult } from '../../ports/lane-write.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pause } from '../pause.ts'

export interface Writer {
  write(write: LaneWrite): Promise<LaneWriteResult>
  /** Resolves when everything handed over has been stored or refused. */
  drain(): Promise<void>
  /** Stops retrying a store that does not respond; waiting writes fail with StoreUnavailable. */
  abandon(): void
}

export interface WriterSettings {
  /** The most flushes in progress at once. */
  readonly writers: number
  readonly lingerMs: number
  /** The most transactions in one flush; a single lane's write is never split. */
  readonly batchSize: number
}

interface Waiting {
  readonly write: LaneWrite
  readonly resolve: (result: LaneWriteResult) => void
  readonly reject: (error: unknown) => void
}

interface WriterPorts {
  readonly store: Store
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: WriterSettings
}

const QUEUE = { queue: 'writer' }

/** A slower flush no longer keeps others from starting. */
const SLOW_MS = 100

const PAUSES = { first: 50, max: 2_000 }

export function createWriter({ store, clock, telemetry, settings }: WriterPorts): Writer {
  let waiting: Waiting[] = []
  /** Lanes with a write under way. */
  const underWay = new Set<string>()
  const whenIdle: (() => void)[] = []
  let depth = 0
  let running = 0
  let slow = 0
  let lingers = false
  let abandoned = false

  function gaugeDepth(change: number): void {
    depth += change
    telemetry.gauge('drover_queue_depth', depth, QUEUE)
  }

  function write(laneWrite: LaneWrite): Promise<LaneWriteResult> {
    return new Promise((resolve, reject) => {
      waiting.push({ write: laneWrite, resolve, reject })
      gaugeDepth(1)
      if (running > 0 || lingers) return startMore()
      lingers = true
      clock.schedule(settings.lingerMs, () => {
        lingers = false
        startMore()
      })
    })
  }

  function startMore(): void {
    while (!lingers && mayStart()) {
      const batch = takeBatch()
      if (batch.length === 0) return
      void run(batch)
    }
  }

  function mayStart(): boolean {
    if (waiting.length === 0 || running >= settings.writers) return false
    return running === slow || sizeOf(waiting) >= settings.batchSize
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    const lanes = batch.map(laneOf)
    for (const lane of lanes) underWay.add(lane)
    running += 1
    let isSlow = false
    const cancel = clock.schedule(SLOW_MS, () => {
      isSlow = true
      slow += 1
      startMore()
    })
    await flush(batch)
    cancel()
    if (isSlow) slow -= 1
    running -= 1
    for (const lane of lanes) underWay.delete(lane)
    gaugeDepth(-batch.length)
    startMore()
    if (isIdle()) for (const resolve of whenIdle.splice(0)) resolve()
  }

  const isIdle = (): boolean => running === 0 && waiting.length === 0

  function takeBatch(): readonly Waiting[] {
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    // A later write of a lane must not overtake an earlier one.
    const held = new Set(underWay)
    let size = 0
    for (const item of waiting) {
      const lane = laneOf(item)
      const fits = batch.length === 0 || size + item.write.saves.length <= settings.batchSize
      if (fits && !held.has(lane)) {
        size += item.write.saves.length
        batch.push(item)
      } else rest.push(item)
      held.add(lane)
    }
    waiting = rest
    return batch
  }

  async function flush(batch: readonly Waiting[]): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        const startedAt = clock.monotonic()
        const results = await store.writeLanes(batch.map((item) => item.write))
        telemetry.observe('drover_flush_size', batch.length, QUEUE)
        telemetry.observe('drover_flush_seconds', (clock.monotonic() - startedAt) / 1_000, QUEUE)
        batch.forEach((item, index) => {
          const result = results[index]
          if (result === undefined) item.reject(new Error('the store answered fewer writes than it was given'))
          else item.resolve(result)
        })
        return
      } catch (error) {
        if (!(error instanceof StoreUnavailable) && batch.length > 1) {
          // One of them breaks the call; alone, it fails alone.
          for (const item of batch) await flush([item])
          return
        }
        if (!(error instanceof StoreUnavailable) || abandoned) {
          for (const item of batch) item.reject(error)
          return
        }
        telemetry.log('warn', 'the database did not respond to a write; retrying', {
          attempt,
          lanes: batch.length,
          error,
        })
        await pause(clock, backOff(attempt + 1, PAUSES))
      }
    }
  }

  return {
    write,
    drain: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
    abandon: () => {
      abandoned = true
    },
  }
}

function laneOf({ write }: Waiting): string {
  return laneKey(write.lease.lane)
}

function sizeOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { write }) => sum + Math.max(1, write.saves.length), 0)
}
