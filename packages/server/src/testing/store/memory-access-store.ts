/** Keys and the audit as a model in memory: the same answers as PostgreSQL, by one clock. */
import { createHash } from 'node:crypto'
import { type ApiKey, isWithinReach } from '../../core/access/api-key.ts'
import type { AccessStore, AuditEntry, KeyRecord } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'

type Row = Omit<KeyRecord, 'expiresInMs'>

export function createMemoryAccessStore(ports: {
  readonly clock: Pick<Clock, 'now'>
  /** A key was revoked; omitted: nobody listens. */
  onRevoked?(): void
}): AccessStore {
  const { clock, onRevoked = () => {} } = ports
  const rows: Row[] = []
  const audit: AuditEntry[] = []
  let deleted = { id: 0, hash: NO_HASH }
  const expiresIn = ({ expiresAt }: Row): number | null => (expiresAt === null ? null : expiresAt - clock.now())
  const isActive = (row: Row): boolean => row.revokedAt === null && (expiresIn(row) ?? 1) > 0

  function replace(id: string, change: Partial<Row>): Row {
    const index = rows.findIndex((row) => row.id === id)
    const row = rows[index]
    if (row === undefined) throw new Error(`there is no key ${id}`)
    rows[index] = { ...row, ...change }
    return rows[index]
  }

  return {
    findKeys: async (ids) => ({
      hasKeys: rows.length > 0,
      keys: ids.map((id) => {
        const row = rows.find((known) => known.id === id)
        return row === undefined ? null : structuredClone({ ...row, expiresInMs: expiresIn(row) })
      }),
    }),
    hasActiveKey: async () => rows.some(isActive),
    insertKey: async (key) => {
      if (rows.some(({ id }) => id === key.id)) throw new Error(`there is a key ${key.id} already`)
      const row = { ...key, createdAt: clock.now(), lastUsedAt: null, revokedAt: null, revokedBy: null }
      rows.unshift(structuredClone(row))
      return withoutSecret(row)
    },
    listKeys: async (reach) => rows.filter((row) => isWithinReach(row, reach)).map(withoutSecret),
    revokeKey: async (id, { actor, reach, evenLast }) => {
      const row = rows.find((known) => known.id === id && isWithinReach(known, reach))
      if (row === undefined) return { type: 'not_found' }
      if (row.revokedAt !== null) return { type: 'revoked', key: withoutSecret(row) }
      const others = rows.filter((other) => other.id !== id && other.scopes.includes('admin') && isActive(other))
      if (row.scopes.includes('admin') && others.length === 0 && !evenLast) return { type: 'last_admin' }
      const revoked = replace(id, { revokedAt: clock.now(), revokedBy: actor })
      onRevoked()
      return { type: 'revoked', key: withoutSecret(revoked) }
    },
    touchKeys: async (ids) => {
      for (const id of ids) if (rows.some((row) => row.id === id)) replace(id, { lastUsedAt: clock.now() })
    },
    appendAudit: async (note) => {
      const before = audit[0] ?? deleted
      const entry = { ...note, id: before.id + 1, at: clock.now() }
      audit.unshift({ ...entry, hash: hashEntry(before.hash, entry) })
    },
    checkAudit: async ({ after, limit }) => {
      const inOrder = audit.toReversed()
      const hashOf = (id: number) => inOrder.find((entry) => entry.id === id)?.hash ?? deleted.hash
      const part = inOrder.filter(({ id }) => id > after).slice(0, limit)
      const broken = part.find(({ hash, ...entry }) => hash !== hashEntry(hashOf(entry.id - 1), entry))
      const { id, hash } = part.at(-1) ?? inOrder.at(-1) ?? deleted
      return { brokenAt: broken?.id ?? null, last: { id, hash }, deleted: deleted.id === 0 ? null : deleted }
    },
    deleteAudit: async ({ olderThanMs, limit, onlyArchived }) => {
      // Nothing is ever archived from memory.
      const first = onlyArchived ? [] : audit.slice(-limit).toReversed()
      const young = first.findIndex(({ at }) => at > clock.now() - olderThanMs)
      const due = young < 0 ? first : first.slice(0, young)
      audit.splice(audit.length - due.length)
      deleted = due.map(({ id, hash }) => ({ id, hash })).at(-1) ?? deleted
      return { count: due.length, lastId: deleted.id }
    },
    listAudit: async ({ before, limit }) =>
      structuredClone(audit.filter(({ id }) => before === null || id < before).slice(0, limit)),
    close: async () => undefined,
  }
}

const NO_HASH = '0'.repeat(64)

function hashEntry(before: string, entry: Omit<AuditEntry, 'hash'>): string {
  const { id, at, keyId, actor, nodeId, operation, target, result } = entry
  const text = JSON.stringify([id, at, keyId, actor, nodeId, operation, target, result])
  return createHash('sha256').update(Buffer.from(before, 'hex')).update(text).digest('hex')
}

function withoutSecret({ secretDigest: _digest, ...key }: Row): ApiKey {
  return structuredClone(key)
}
