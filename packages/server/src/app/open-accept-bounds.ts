/** How much may be accepted: at one time by this node, and in all by the queues of the signers. */
import type { Config } from '../config/config.ts'
import { AppError } from '../core/app-error.ts'
import type { AcceptBounds } from '../engine/accept/accept.ts'
import { createQueueBounds, type QueueBounds } from '../engine/tenants/queue-depth.ts'
import { createTenantPool } from '../engine/tenants/tenant-pool.ts'
import type { WorkTurns } from '../engine/tenants/work-turns.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

interface BoundsPorts {
  readonly store: Store
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly work: Pick<WorkTurns, 'spend'>
}

interface OpenBounds extends AcceptBounds {
  readonly queue: QueueBounds
}

const RETRY_AFTER_MS = 1_000
/** What the thread has to do for a transaction from its acceptance to its end, about. */
const ACCEPTED_MS = 1
/** Storing, signing and sending this much calldata takes about another millisecond. */
const CHARS_PER_MS = 32 * 1024

export function openAcceptBounds({ tenants, intake }: Config, { work, ...ports }: BoundsPorts): OpenBounds {
  const { sharePercent } = tenants
  const places = createTenantPool({
    what: 'requests waiting to be stored',
    size: intake.queueLimit,
    sharePercent,
    retryAfterMs: RETRY_AFTER_MS,
    whenFull: () => {
      const message = 'Too many requests are waiting. Nothing was stored, so retry after the time given.'
      return new AppError('queue_full', message, { retryAfterMs: RETRY_AFTER_MS })
    },
  })
  return {
    sharePercent,
    queue: createQueueBounds({ ...ports, limits: tenants }),
    places: {
      enter({ tenant = null, data }) {
        const leave = places.enter(tenant)
        work.spend(tenant, ACCEPTED_MS + (data?.length ?? 0) / CHARS_PER_MS)
        return leave
      },
    },
  }
}
