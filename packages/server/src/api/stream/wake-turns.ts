/**
 * Wakes streams that have something new to read. A tenant with a few streams has them woken at once. If it has many, a few
 * are woken per turn: else each new event would wake hundreds of streams of one tenant, only to put them in line, before
 * the stream of another tenant gets to it.
 */

import type { Gone } from '../../engine/tenants/gone.ts'
import type { Tenant } from '../../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../../engine/tenants/work-turns.ts'

export interface WakeTurns {
  /** `follow` calls what it is given when there is something new. Returns what ends it. */
  follow(tenant: Tenant, wake: () => void, follow: (onNews: () => void) => () => void): () => void
}

interface Line {
  followers: number
  readonly waiting: Set<() => void>
  isMoving: boolean
}

const AT_ONCE = 16
/** The line goes on whoever leaves it. */
const NEVER: Gone = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} }

export function createWakeTurns(work: Pick<WorkTurns, 'begin'>): WakeTurns {
  const lines = new Map<Tenant, Line>()

  async function move(tenant: Tenant, line: Line): Promise<void> {
    line.isMoving = true
    while (line.waiting.size > 0) {
      const endTurn = await work.begin(tenant, { gone: NEVER, isBounded: true })
      let left = AT_ONCE
      for (const wake of line.waiting) {
        line.waiting.delete(wake)
        wake()
        left -= 1
        if (left === 0) break
      }
      endTurn?.()
    }
    line.isMoving = false
  }

  return {
    follow(tenant, wake, follow) {
      const line = lines.get(tenant) ?? { followers: 0, waiting: new Set(), isMoving: false }
      lines.set(tenant, line)
      line.followers += 1
      const own = (): void => wake()
      const unfollow = follow(() => {
        if (line.followers <= AT_ONCE) return wake()
        line.waiting.add(own)
        if (!line.isMoving) void move(tenant, line)
      })
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        unfollow()
        line.waiting.delete(own)
        line.followers -= 1
        if (line.followers === 0 && lines.get(tenant) === line) lines.delete(tenant)
      }
    },
  }
}
