/**
 * Group commit. Lanes are spread over a few writers by hash; each writer collects what its lanes want written for a few
 * milliseconds and stores it in one database transaction. While one flush runs the next collects, so batches grow with
 * load by themselves. A lane has at most one write in a flush. A store that does not answer is asked again until it
 * does: versions make a repeated write harmless, and the lease tells a lane that waited too long.
 */

import { laneKey } from '../../core/lane/lane.ts'
import { hash } from '../../core/lane/rendezvous.ts'
import type { Clock } from '../../ports/clock.ts'
import { type LaneWrite, type LaneWriteResult, type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pause } from '../pause.ts'

export interface Writer {
  write(write: LaneWrite): Promise<LaneWriteResult>
  /** Resolves when everything handed over has been stored or refused. */
  drain(): Promise<void>
  /** Stops asking a store that does not answer; what is waiting fails with StoreUnavailable. */
  abandon(): void
}

export interface WriterSettings {
  readonly writers: number
  readonly lingerMs: number
  /** Transactions in one flush, at most; a single lane's write is never split. */
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

export function createWriter(ports: WriterPorts): Writer {
  const shards = Array.from({ length: ports.settings.writers }, () => createShard(ports))
  let depth = 0

  function tellDepth(change: 1 | -1): void {
    depth += change
    ports.telemetry.gauge('drover_queue_depth', depth, QUEUE)
  }

  return {
    write: async (write) => {
      const shard = shards[hash(laneKey(write.lease.lane)) % shards.length]
      if (shard === undefined) throw new Error('there must be at least one writer')
      tellDepth(1)
      try {
        return await shard.write(write)
      } finally {
        tellDepth(-1)
      }
    },
    drain: async () => {
      await Promise.all(shards.map((shard) => shard.drain()))
    },
    abandon: () => {
      for (const shard of shards) shard.abandon()
    },
  }
}

function createShard({ store, clock, telemetry, settings }: WriterPorts): Writer {
  let waiting: Waiting[] = []
  let running: Promise<void> | null = null
  let abandoned = false

  function write(laneWrite: LaneWrite): Promise<LaneWriteResult> {
    return new Promise((resolve, reject) => {
      waiting.push({ write: laneWrite, resolve, reject })
      running ??= run()
    })
  }

  async function run(): Promise<void> {
    await pause(clock, settings.lingerMs)
    while (waiting.length > 0) await flush(takeBatch())
    // In the same step as the last look: a write that came in between would have nobody to store it.
    running = null
  }

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    const lanes = new Set<string>()
    let size = 0
    for (const item of waiting) {
      const key = laneKey(item.write.lease.lane)
      const fits = batch.length === 0 || size + item.write.saves.length <= settings.batchSize
      if (!fits || lanes.has(key)) {
        // A later write of the same lane must not overtake this one.
        lanes.add(key)
        rest.push(item)
        continue
      }
      lanes.add(key)
      size += item.write.saves.length
      batch.push(item)
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
        await pause(clock, Math.min(2_000, 50 * 2 ** Math.min(attempt, 10)))
      }
    }
  }

  return {
    write,
    drain: async () => {
      while (running !== null) await running
    },
    abandon: () => {
      abandoned = true
    },
  }
}
