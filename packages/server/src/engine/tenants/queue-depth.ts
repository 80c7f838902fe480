/**
 * How many transactions wait for a nonce, and whether there is room for another: for each signer, for all of them, and
 * within those for each tenant. An endless queue would only hide from a caller that nothing gets through.
 *
 * The database is counted now and then while requests are accepted, and this node counts its own additions in between.
 * Other nodes do the same, so the bounds are exceeded by at most what they accept between two counts. A count costs
 * time in proportion to the queue, so the longer it takes, the longer the pause before the next.
 *
 * What is stored during a count may or may not be in it, and is counted on top. If that alone may refuse somebody, the
 * database is counted again first, unless the last count took too long to repeat it so soon.
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
  /** Takes a place, or throws `queue_full` or `tenant_limit`. */
  enter(lane: Lane, tenant: Tenant): Promise<QueuePlace>
  /** The queue of a signer, as last counted; null: not counted yet. */
  depthOf(lane: Lane): QueueSize | null
  /** Who has something in the queue of a signer, as last counted and as accepted here since. */
  tenantsOf(lane: Lane): readonly string[]
  /** Counts again, beside the caller, if the last count is old. */
  refresh(): void
}

/** Call one of these, once. */
export interface QueuePlace {
  /** It is in the database now. */
  keep(): void
  /** Nothing was stored. */
  giveBack(): void
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
/** The scope of all lanes together. */
const ALL = ''

export function createQueueBounds({ store, clock, telemetry, limits }: DepthPorts): QueueBounds {
  let counted = createTally([])
  let oldest: ReadonlyMap<string, number> = new Map()
  /** Entered, and not stored yet as far as is known. */
  const open = createTally([])
  /** Stored since the last count began. */
  let stored = createTally([])
  /** While a count runs: stored before it began. Its result will have them. */
  let earlier = createTally([])
  /** The last count may have some of those that are also in `open` or `stored`. */
  let isDoubtful = false
  let nextAt = Number.NEGATIVE_INFINITY
  let earliestAt = Number.NEGATIVE_INFINITY
  let counting: Promise<void> | null = null
  let isKnown = false

  async function count(): Promise<void> {
    const startedAt = clock.monotonic()
    earlier = stored
    stored = createTally([])
    try {
      const depths = await store.countQueued()
      counted = createTally(depths)
      oldest = findOldest(depths)
      isKnown = true
      isDoubtful = open.of(ALL) > 0 || stored.of(ALL) > 0
    } catch (error) {
      stored.addAll(earlier)
      telemetry.log('warn', 'could not count the queue', { error: String(error) })
    } finally {
      earlier = createTally([])
      const endedAt = clock.monotonic()
      earliestAt = endedAt + (endedAt - startedAt) / MAX_TIME_SHARE
      nextAt = Math.max(earliestAt, endedAt + PAUSE_MS)
      counting = null
    }
  }

  const sum = (amountIn: (tally: Tally) => number): number =>
    [counted, earlier, stored, open].reduce((total, tally) => total + amountIn(tally), 0)

  function check(scope: string, tenant: Tenant, size: number, nameIt: () => string): void {
    const share = shareOf(size, limits.sharePercent)
    if (tenant !== null && sum((tally) => tally.ofTenant(scope, tenant)) >= share)
      throw refuseShare({ what: nameIt(), limit: share, retryAfterMs: RETRY_AFTER_MS })
    if (sum((tally) => tally.of(scope)) < size) return
    const what = nameIt()
    const message = `There are already ${size} ${what}. Nothing was stored. Retry after the time given.`
    throw new AppError('queue_full', message, { bound: what, limit: size, retryAfterMs: RETRY_AFTER_MS })
  }

  function take(lane: Lane, tenant: Tenant): QueuePlace {
    const [scope, name] = [laneKey(lane), tenant ?? '']
    check(scope, tenant, limits.maxQueuedPerSigner, () => `queued transactions of signer ${lane.signer}`)
    check(ALL, tenant, limits.maxQueued, () => 'queued transactions')
    open.add(scope, name, 1)
    return {
      keep() {
        open.add(scope, name, -1)
        stored.add(scope, name, 1)
      },
      giveBack: () => open.add(scope, name, -1),
    }
  }

  function refresh(): void {
    if (clock.monotonic() >= nextAt) counting ??= count()
  }

  return {
    refresh,
    depthOf: (lane) =>
      isKnown ? { queued: counted.of(laneKey(lane)), oldestAt: oldest.get(laneKey(lane)) ?? null } : null,
    tenantsOf: (lane) => [
      ...new Set([counted, earlier, stored, open].flatMap((tally) => tally.tenantsOf(laneKey(lane)))),
    ],
    async enter(lane, tenant) {
      refresh()
      // Only the first has to wait: later a count that is a second old is good enough.
      if (!isKnown && counting !== null) await counting
      try {
        return take(lane, tenant)
      } catch (error) {
        if (!isDoubtful) throw error
        if (clock.monotonic() >= earliestAt) counting ??= count()
        await counting
        return take(lane, tenant)
      }
    },
  }
}

function findOldest(depths: readonly QueueDepth[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>()
  for (const { lane, oldestAt } of depths) {
    const key = laneKey(lane)
    oldest.set(key, Math.min(oldest.get(key) ?? oldestAt, oldestAt))
  }
  return oldest
}

interface Count {
  all: number
  readonly byTenant: Map<string, number>
}

interface Tally {
  /** In the queue of the lane, and in the whole one. */
  add(lane: string, tenant: string, amount: number): void
  addAll(other: Tally): void
  of(scope: string): number
  ofTenant(scope: string, tenant: string): number
  tenantsOf(scope: string): readonly string[]
  readonly counts: ReadonlyMap<string, Count>
}

function createTally(depths: readonly QueueDepth[]): Tally {
  const counts = new Map<string, Count>()

  function addTo(scope: string, tenant: string, amount: number): void {
    let count = counts.get(scope)
    if (count === undefined) {
      count = { all: 0, byTenant: new Map() }
      counts.set(scope, count)
    }
    count.all += amount
    const left = (count.byTenant.get(tenant) ?? 0) + amount
    if (left === 0) count.byTenant.delete(tenant)
    else count.byTenant.set(tenant, left)
    if (count.byTenant.size === 0) counts.delete(scope)
  }

  function add(lane: string, tenant: string, amount: number): void {
    addTo(lane, tenant, amount)
    addTo(ALL, tenant, amount)
  }

  for (const { lane, tenant, queued } of depths) add(laneKey(lane), tenant, queued)
  return {
    add,
    addAll: (other) => {
      for (const [scope, { byTenant }] of other.counts)
        for (const [tenant, amount] of byTenant) addTo(scope, tenant, amount)
    },
    of: (scope) => counts.get(scope)?.all ?? 0,
    tenantsOf: (scope) => [...(counts.get(scope)?.byTenant.keys() ?? [])],
    ofTenant: (scope, tenant) => counts.get(scope)?.byTenant.get(tenant) ?? 0,
    counts,
  }
}
