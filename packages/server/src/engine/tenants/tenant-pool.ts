/**
 * A bounded number of places that all tenants share: streams, sockets, waits, bytes of bodies. One tenant gets a share
 * of them and no more, so the others always find room. A service without keys has one tenant, which gets all.
 */

import { DEFAULT_SHARE_PERCENT, shareOf } from '../../core/access/tenant-share.ts'
import { AppError } from '../../core/app-error.ts'

/** Null: the only tenant of a service without keys. */
export type Tenant = string | null

/** Callers without a key, on routes that need none. No tenant can have such a name. */
export const PUBLIC = ''
/** Those that ask whether the service is alive or ready: load balancers give up on a node that does not answer soon. */
export const HEALTH_CHECKS = '\0health'

export const ANONYMOUS: readonly Tenant[] = [PUBLIC, HEALTH_CHECKS]

export interface TenantPool {
  /**
   * Takes places and returns a function that gives them back, once. Throws `tenant_limit` for the tenant's own share, else
   * what `whenFull` makes.
   */
  enter(tenant: Tenant, amount?: number): () => void
  used(): number
}

export interface TenantPoolOptions {
  /** What is being counted, in the plural: "event streams". */
  readonly what: string
  readonly size: number
  readonly sharePercent?: number | undefined
  readonly retryAfterMs: number
  whenFull(): AppError
  /** Omitted: `tenant_limit`. */
  whenShareUsed?(limit: number): AppError
}

export function createTenantPool(options: TenantPoolOptions): TenantPool {
  const { what, size, retryAfterMs } = options
  const share = shareOf(size, options.sharePercent ?? DEFAULT_SHARE_PERCENT)
  const usedBy = new Map<Tenant, number>()
  let used = 0

  function change(tenant: Tenant, by: number): void {
    used += by
    const left = (usedBy.get(tenant) ?? 0) + by
    if (left > 0) usedBy.set(tenant, left)
    else usedBy.delete(tenant)
  }

  return {
    used: () => used,
    enter(tenant, amount = 1) {
      const limit = tenant === null ? size : share
      const own = usedBy.get(tenant) ?? 0
      // A request larger than the whole share would never fit, so it goes alone.
      const fits = own + amount <= limit || own === 0
      if (!fits && tenant !== null) throw options.whenShareUsed?.(limit) ?? refuseShare({ what, limit, retryAfterMs })
      if (used + amount > size && used > 0) throw options.whenFull()
      change(tenant, amount)
      let isIn = true
      return () => {
        if (isIn) change(tenant, -amount)
        isIn = false
      }
    },
  }
}

export function refuseShare(bound: {
  readonly what: string
  readonly limit: number
  readonly retryAfterMs: number
}): AppError {
  const { what, limit, retryAfterMs } = bound
  const message = `Your tenant has reached its limit of ${what} (${limit}). Retry after the time given.`
  return new AppError('tenant_limit', message, { bound: what, limit, retryAfterMs })
}
