/**
 * Turns at a resource with limited concurrency, such as a node of the chain. Tenants take turns in rotation, one each,
 * however many calls each has waiting, and none has more than its share running or waiting. So a flood from one tenant
 * makes that tenant wait, and the others for one turn at most.
 */

import { DEFAULT_SHARE_PERCENT, shareOf } from '../../core/access/tenant-share.ts'
import type { Clock } from '../../ports/clock.ts'
import { refuseShare, type Tenant } from './tenant-pool.ts'

export interface FairTurns {
  /**
   * Runs the task when its turn comes. It may ask for a rest: for that long its tenant has one turn less. Throws what
   * `whenFull` makes, or `tenant_limit`, if too many already wait.
   */
  run<T>(tenant: Tenant, task: (rest: (ms: number) => void) => Promise<T>): Promise<T>
}

interface FairTurnsOptions {
  /** For rests. */
  readonly clock?: Pick<Clock, 'schedule'>
  /** What is being counted, in the plural: "calls to the chain". */
  readonly what: string
  readonly maxRunning: number
  readonly maxWaiting: number
  readonly sharePercent?: number | undefined
  /** How many one tenant may have running now, if that is less than its share. */
  most?(tenant: Tenant): number
  whenFull(): Error
}

interface Line {
  readonly waiting: (() => void)[]
  running: number
}

const RETRY_AFTER_MS = 1_000

export function createFairTurns(options: FairTurnsOptions): FairTurns {
  const { what, maxRunning, maxWaiting, sharePercent = DEFAULT_SHARE_PERCENT } = options
  /** In the order of their next turn. Only tenants with something running or waiting. */
  const lines = new Map<Tenant, Line>()
  let running = 0
  let waiting = 0

  const limitOf = (tenant: Tenant, size: number): number => (tenant === null ? size : shareOf(size, sharePercent))

  function canRun(tenant: Tenant, line: Line): boolean {
    const most = options.most?.(tenant) ?? Number.POSITIVE_INFINITY
    return running < maxRunning && line.running < Math.min(most, limitOf(tenant, maxRunning))
  }

  function begin(tenant: Tenant, line: Line): void {
    running += 1
    line.running += 1
    // To the end of the rotation.
    lines.delete(tenant)
    lines.set(tenant, line)
  }

  function startNext(): void {
    for (const [tenant, line] of [...lines]) {
      if (running >= maxRunning) return
      if (!canRun(tenant, line)) continue
      const next = line.waiting.shift()
      if (next === undefined) continue
      waiting -= 1
      begin(tenant, line)
      next()
    }
  }

  function finish(tenant: Tenant, line: Line, restMs: number): void {
    running -= 1
    if (restMs > 0 && options.clock !== undefined) options.clock.schedule(restMs, () => leave(tenant, line))
    else leave(tenant, line)
    startNext()
  }

  function leave(tenant: Tenant, line: Line): void {
    line.running -= 1
    if (line.running === 0 && line.waiting.length === 0) lines.delete(tenant)
    startNext()
  }

  return {
    async run(tenant, task) {
      const line = lines.get(tenant) ?? { waiting: [], running: 0 }
      if (canRun(tenant, line) && line.waiting.length === 0) begin(tenant, line)
      else {
        const limit = limitOf(tenant, maxWaiting)
        if (waiting >= maxWaiting) throw options.whenFull()
        if (line.waiting.length >= limit) throw refuseShare({ what, limit, retryAfterMs: RETRY_AFTER_MS })
        waiting += 1
        lines.set(tenant, line)
        await new Promise<void>((resolve) => line.waiting.push(resolve))
      }
      let restMs = 0
      try {
        return await task((ms) => {
          restMs = ms
        })
      } finally {
        finish(tenant, line, restMs)
      }
    },
  }
}
