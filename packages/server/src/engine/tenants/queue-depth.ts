/**
 * How many transactions wait for a nonce, and whether there is room for another: for each signer, for all of them, and
 * within those for each tenant. An endless queue would only hide from a caller that nothing gets through.
 *
 * The database is counted now and then while requests are accepted, and this node counts its own additions in between.
 * Other nodes do the same, so the bounds are exceeded by at most what they accept between two counts. A count costs
 * time in proportion to the queue, so the longer it takes, the longer the pause before the next.
 */

import { shareOf } from '../../core/access/tenant-share.ts'
import { AppError } from '../../core/app-error.ts'
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import type { Clock } from '../../ports/clock.ts'
import type { QueueDepth } from '../../ports/lane-queue.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { refuseShare, type Tenant } from './tenant-pool.ts'

export interface QueueBounds {
  /** Takes a place, or throws `queue_full` or `tenant_limit`. Returns how to give it back if nothing was stored. */
  enter(lane: Lane, tenant: Tenant): Promise<() => void>
  /** The queue of a signer, as last counted; null: not counted yet. */
  depthOf(lane: Lane): QueueSize | null
  /** Counts again, beside the caller, if the last count is old. */
  refresh(): void
}

export interface QueueLimits {
  readonly maxQueuedPerSigner: number
  readonly maxQueued: number
  readonly sharePercent: number
}

export interface QueueSize {
  readonly queued: number
  /** When the oldest was accepted; null: none is queued. */
  readonly oldestAt: number | null
}

interface DepthPorts {
  readonly store: Pick<Store, 'countQueued'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly limits: QueueLimits
}

const PAUSE_MS = 1_000
/** The fraction of time that counting may take. */
const MAX_TIME_SHARE = 1 / 20
const RETRY_AFTER_MS = 1_000

export function createQueueBounds({ store, clock, telemetry, limits }: DepthPorts): QueueBounds {
  let counted = createTally([])
  let oldest: ReadonlyMap<string, number> = new Map()
  /** Since the last count began. */
  let added = createTally([])
  let nextAt = Number.NEGATIVE_INFINITY
  let counting: Promise<void> | null = null
  let isKnown = false

  async function count(): Promise<void> {
    const startedAt = clock.monotonic()
    const since = createTally([])
    const before = added
    added = since
    try {
      const depths = await store.countQueued()
      counted = createTally(depths)
      oldest = findOldest(depths)
      isKnown = true
    } catch (error) {
      for (const key of before.keys()) since.add(key, before.get(key))
      telemetry.log('warn', 'could not count the queue', { error: String(error) })
    } finally {
      const endedAt = clock.monotonic()
      nextAt = endedAt + Math.max(PAUSE_MS, (endedAt - startedAt) / MAX_TIME_SHARE)
      counting = null
    }
  }

  function check(lane: Lane, tenant: Tenant): void {
    const { maxQueuedPerSigner, maxQueued, sharePercent } = limits
    const depthOf = (key: string): number => counted.get(key) + added.get(key)
    const bounds = [
      { what: `queued transactions of signer ${lane.signer}`, size: maxQueuedPerSigner, scope: laneKey(lane) },
      { what: 'queued transactions', size: maxQueued, scope: '' },
    ]
    for (const { what, size, scope } of bounds) {
      const share = shareOf(size, sharePercent)
      if (tenant !== null && depthOf(ownKey(scope, tenant)) >= share)
        throw refuseShare({ what, limit: share, retryAfterMs: RETRY_AFTER_MS })
      if (depthOf(scope) < size) continue
      const message = `There are already ${size} ${what}. Nothing was stored. Retry after the time given.`
      throw new AppError('queue_full', message, { bound: what, limit: size, retryAfterMs: RETRY_AFTER_MS })
    }
  }

  function refresh(): void {
    if (clock.monotonic() >= nextAt) counting ??= count()
  }

  return {
    refresh,
    depthOf: (lane) =>
      isKnown ? { queued: counted.get(laneKey(lane)), oldestAt: oldest.get(laneKey(lane)) ?? null } : null,
    async enter(lane, tenant) {
      refresh()
      // Only the first has to wait: later a count that is a second old is good enough.
      if (!isKnown && counting !== null) await counting
      check(lane, tenant)
      const keys = keysOf(lane, tenant ?? '')
      const tally = added
      for (const key of keys) tally.add(key, 1)
      return () => {
        for (const key of keys) tally.add(key, -1)
      }
    },
  }
}

function keysOf(lane: Lane, tenant: string): readonly string[] {
  return ['', laneKey(lane), ownKey('', tenant), ownKey(laneKey(lane), tenant)]
}

function ownKey(scope: string, tenant: string): string {
  return JSON.stringify([scope, tenant])
}

function findOldest(depths: readonly QueueDepth[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>()
  for (const { lane, oldestAt } of depths) {
    const key = laneKey(lane)
    oldest.set(key, Math.min(oldest.get(key) ?? oldestAt, oldestAt))
  }
  return oldest
}

function createTally(depths: readonly QueueDepth[]) {
  const counts = new Map<string, number>()
  const add = (key: string, amount: number): void => void counts.set(key, (counts.get(key) ?? 0) + amount)
  for (const { lane, tenant, queued } of depths) for (const key of keysOf(lane, tenant)) add(key, queued)
  return { add, get: (key: string): number => counts.get(key) ?? 0, keys: () => counts.keys() }
}
