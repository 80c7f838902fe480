/** How long a statement may run, and a transaction stay idle: less than a lease, or it could hold a lane that its node has already lost. */
import type { SessionTimeouts } from '../store/postgres/pooled-session.ts'

export function sessionTimeouts(leaseDurationMs: number): SessionTimeouts {
  return {
    statementTimeoutMs: Math.min(10_000, Math.floor(leaseDurationMs * (2 / 3))),
    idleInTransactionTimeoutMs: Math.min(5_000, Math.floor(leaseDurationMs / 3)),
  }
}
