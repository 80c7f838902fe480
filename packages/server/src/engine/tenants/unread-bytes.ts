/**
 * Limits the bytes of answers that clients have not read yet. One client that does not read costs little, but a tenant
 * can have many. Above the limit, the connection with the most unread bytes is ended: of the tenant if its share is used
 * up, else of all. So a client that reads is not ended because others do not.
 */
import { DEFAULT_SHARE_PERCENT, shareOf } from '../../core/access/tenant-share.ts'
import type { Tenant } from './tenant-pool.ts'

export interface UnreadBytes {
  /** For one connection. `end` disconnects it. */
  open(tenant: Tenant, end: () => void): UnreadConnection
}

export interface UnreadConnection {
  /** An answer is written. Returns a function to call once the client has taken it. */
  add(bytes: number): () => void
  bytes(): number
  /** The connection has ended. */
  close(): void
}

interface Sum {
  bytes: number
  answers: number
}

interface Entry extends Sum {
  readonly tenant: Tenant
  readonly end: () => void
  isOpen: boolean
}

export function createUnreadBytes(limits: { readonly maxBytes: number; readonly sharePercent?: number }): UnreadBytes {
  const { maxBytes, sharePercent = DEFAULT_SHARE_PERCENT } = limits
  const share = shareOf(maxBytes, sharePercent)
  /** Only those with unread bytes. */
  const entries = new Set<Entry>()
  const byTenant = new Map<Tenant, Sum>()
  const all: Sum = { bytes: 0, answers: 0 }

  function change(entry: Entry, bytes: number, answers: number): void {
    const own = byTenant.get(entry.tenant) ?? { bytes: 0, answers: 0 }
    byTenant.set(entry.tenant, own)
    addTo(entry, bytes, answers)
    addTo(own, bytes, answers)
    addTo(all, bytes, answers)
    if (own.answers === 0) byTenant.delete(entry.tenant)
    if (entry.answers === 0) entries.delete(entry)
    else entries.add(entry)
  }

  function close(entry: Entry): void {
    entry.isOpen = false
    if (entry.answers > 0) change(entry, -entry.bytes, -entry.answers)
  }

  function endLargest(isCandidate: (entry: Entry) => boolean): void {
    const candidates = [...entries].filter(isCandidate)
    const largest = candidates.reduce((most, entry) => (entry.bytes > most.bytes ? entry : most))
    close(largest)
    largest.end()
  }

  /** A single answer may be larger than the limit: it goes alone. */
  const isTooMuch = (sum: Sum | undefined, limit: number): boolean =>
    sum !== undefined && sum.answers > 1 && sum.bytes > limit

  function makeRoom(tenant: Tenant): void {
    while (tenant !== null && isTooMuch(byTenant.get(tenant), share)) endLargest((entry) => entry.tenant === tenant)
    while (isTooMuch(all, maxBytes)) endLargest(() => true)
  }

  return {
    open(tenant, end) {
      const entry: Entry = { tenant, end, isOpen: true, bytes: 0, answers: 0 }
      return {
        add(bytes) {
          if (!entry.isOpen) return () => {}
          change(entry, bytes, 1)
          makeRoom(tenant)
          let isUnread = true
          return () => {
            if (isUnread && entry.isOpen) change(entry, -bytes, -1)
            isUnread = false
          }
        },
        bytes: () => entry.bytes,
        close: () => close(entry),
      }
    },
  }
}

function addTo(sum: Sum, bytes: number, answers: number): void {
  sum.bytes += bytes
  sum.answers += answers
}
