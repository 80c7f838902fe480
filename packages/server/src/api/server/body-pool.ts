/** Limits the bytes of request bodies in memory at one time, however many clients send at once. */
import { AppError } from '../../core/app-error.ts'
import { createTenantPool, type TenantPool } from '../../engine/tenants/tenant-pool.ts'

const RETRY_AFTER_MS = 1_000

export function createBodyPool(limits: { readonly maxBytes: number; readonly sharePercent?: number }): TenantPool {
  return createTenantPool({
    what: 'bytes in requests at one time',
    size: limits.maxBytes,
    sharePercent: limits.sharePercent,
    retryAfterMs: RETRY_AFTER_MS,
    whenFull: () => {
      const message = `This node is already reading ${limits.maxBytes} bytes of requests, its limit. Retry after the time given.`
      return new AppError('overloaded', message, { retryAfterMs: RETRY_AFTER_MS })
    },
  })
}
