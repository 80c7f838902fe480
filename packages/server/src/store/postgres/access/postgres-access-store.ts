/** Keys and the audit in PostgreSQL, over a few connections of their own. */
import type { ApiKey, KeyId } from '../../../core/access/api-key.ts'
import type { Hex } from '../../../core/hex.ts'
import type {
  AccessStore,
  AuditCheck,
  AuditNote,
  KeyRecord,
  NewKey,
  RevokeOutcome,
} from '../../../ports/access-store.ts'
import { createDatabase, type Database, type DatabaseOptions } from '../database.ts'
import { toText, toTime } from '../json-text.ts'
import { CHANNEL, KEYS_CHANGED } from '../notice-payload.ts'
import { reachValues } from '../reach-values.ts'
import { type AuditRow, KEY_COLUMNS, type KeyRow, readAudit, readKey } from './access-rows.ts'
import { deleteAudit } from './delete-audit.ts'

const FIND = {
  name: 'find_api_keys',
  text: `
select a.has_keys, ${KEY_COLUMNS}, encode(k.secret_digest, 'hex') as secret_digest,
       (extract(epoch from k.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms
  from (select exists (select from api_key) as has_keys) a
  left join api_key k on k.key_id = any($1::text[])`,
} as const

const HAS_ACTIVE = {
  name: 'has_active_api_key',
  text: `
select exists (select from api_key k
                where k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())) as has_active`,
} as const

const INSERT = {
  name: 'insert_api_key',
  text: `
insert into api_key as k (key_id, name, secret_digest, scopes, signers, chains, rate_per_second, rate_burst, expires_at,
                          created_by, max_tx_fee, tenant)
values ($1, $2, decode($3, 'hex'), $4::text[], $5::bytea[], $6::bigint[], $7, $8, $9::timestamptz, $10, $11::numeric,
        $12)
returning ${KEY_COLUMNS}`,
} as const

/** The lists of a key within others: all of its own, and it must have some where the others are some. */
const WITHIN = (signers: string, chains: string) =>
  `(${signers}::bytea[] is null or k.signers <@ ${signers}::bytea[])
   and (${chains}::bigint[] is null or k.chains <@ ${chains}::bigint[])`

const LIST = {
  name: 'list_api_keys',
  text: `select ${KEY_COLUMNS} from api_key k where ${WITHIN('$1', '$2')} order by k.created_at desc, k.key_id`,
} as const

/**
 * Locks the admin keys, in a fixed order, before counting them. If two revoke each other at once, the second finds that
 * it is the last one.
 */
const REVOKE = {
  name: 'revoke_api_key',
  text: `
with admins as materialized (
  select o.key_id, o.revoked_at, o.expires_at from api_key o where 'admin' = any(o.scopes) order by o.key_id for update
), target as materialized (
  select k.key_id,
         'admin' = any(k.scopes) and (select count(*) from admins) >= 0 and not exists (
           select from admins o where o.key_id <> k.key_id and o.revoked_at is null
              and (o.expires_at is null or o.expires_at > clock_timestamp())) as is_last
    from api_key k where k.key_id = $1 and ${WITHIN('$3', '$4')}
), revoked as (
  update api_key k set revoked_at = date_trunc('milliseconds', clock_timestamp()), revoked_by = $2
    from target t where k.key_id = t.key_id and k.revoked_at is null and (not t.is_last or $5)
  returning ${KEY_COLUMNS}
), told as materialized (select pg_notify('${CHANNEL}', '${KEYS_CHANGED}') from revoked)
select r.*, (select count(*) from told) as told from target t left join revoked r on r.key_id = t.key_id`,
} as const

const SHOW = { name: 'show_api_key', text: `select ${KEY_COLUMNS} from api_key k where k.key_id = $1` } as const

/** In a fixed order, so two nodes never deadlock. */
const TOUCH = {
  name: 'touch_api_keys',
  text: `
with used as materialized (
  select key_id from api_key where key_id = any($1::text[]) order by key_id for no key update
)
update api_key k set last_used_at = date_trunc('milliseconds', clock_timestamp()) from used u where k.key_id = u.key_id`,
} as const

const APPEND = {
  name: 'append_audit',
  text: `
with head as (
  update audit_head h
     set last_id = h.last_id + 1,
         last_hash = audit_hash(h.last_hash, h.last_id + 1, n.at, $1, $2, $3, $4, $5, $6)
    from (select date_trunc('milliseconds', clock_timestamp()) as at) n
  returning h.last_id, h.last_hash, n.at
)
insert into audit_entry (audit_id, at, key_id, actor, node_id, operation, target, result, hash)
select h.last_id, h.at, $1, $2, $3, $4, $5, $6, h.last_hash from head h`,
} as const

const AUDIT = {
  name: 'list_audit',
  text: `
select audit_id, at, key_id, actor, node_id, operation, target, result, hash from audit_entry
 where $1::bigint is null or audit_id < $1 order by audit_id desc limit $2`,
} as const

/** One statement, so the end of the chain and its head are from the same moment. */
const CHECK_AUDIT = {
  name: 'check_audit',
  text: `
with part as materialized (
  select e.*, audit_hash(
           lag(e.hash, 1, coalesce((select b.hash from audit_entry b where b.audit_id <= $1 order by b.audit_id desc limit 1),
                                   (select h.deleted_hash from audit_head h))) over (order by e.audit_id),
           e.audit_id, e.at, e.key_id, e.actor, e.node_id, e.operation, e.target, e.result) as expected
    from (select * from audit_entry where audit_id > $1 order by audit_id limit $2) e
)
select (select min(p.audit_id) from part p where p.hash <> p.expected) as broken_at,
       (select max(p.audit_id) from part p) as last_id,
       (select p.hash from part p order by p.audit_id desc limit 1) as hash,
       (select count(*) from part) < $2 as is_whole, h.last_id as head_id, h.last_hash as head_hash,
       h.deleted_id, h.deleted_hash
  from audit_head h`,
} as const

interface CheckRow {
  readonly broken_at: number | null
  readonly last_id: number | null
  readonly hash: Hex | null
  readonly is_whole: boolean
  readonly head_id: number
  readonly head_hash: Hex
  readonly deleted_id: number
  readonly deleted_hash: Hex
}

type FoundRow = { readonly has_keys: boolean } & (
  | (KeyRow & { readonly secret_digest: string; readonly expires_in_ms: number | null })
  | { readonly key_id: null }
)

type RevokedRow = KeyRow | { readonly key_id: null }

const CONNECTIONS = 3

export function createPostgresAccessStore(options: DatabaseOptions): AccessStore {
  const database = createDatabase({ poolSize: CONNECTIONS, ...options })
  return {
    findKeys: (ids) => findKeys(database, ids),
    hasActiveKey: async () => {
      const [row] = await database.query<{ has_active: boolean }>(HAS_ACTIVE, [])
      return row?.has_active === true
    },
    insertKey: (key) => insertKey(database, key),
    listKeys: async (reach) => (await database.query<KeyRow>(LIST, reachValues(reach))).map(readKey),
    revokeKey: (id, by) => revokeKey(database, id, by),
    touchKeys: async (ids) => {
      if (ids.length > 0) await database.query(TOUCH, [ids])
    },
    appendAudit: (note) => appendAudit(database, note),
    checkAudit: (from) => checkAudit(database, from),
    listAudit: async ({ before, limit }) => (await database.query<AuditRow>(AUDIT, [before, limit])).map(readAudit),
    deleteAudit: (which) => deleteAudit(database, which),
    close: () => database.close(),
  }
}

async function findKeys(database: Database, ids: readonly KeyId[]): ReturnType<AccessStore['findKeys']> {
  const rows = await database.query<FoundRow>(FIND, [ids])
  const found = new Map<KeyId, KeyRecord>()
  for (const row of rows) {
    if (row.key_id === null) continue
    found.set(row.key_id, { ...readKey(row), secretDigest: row.secret_digest, expiresInMs: row.expires_in_ms })
  }
  return { hasKeys: rows[0]?.has_keys === true, keys: ids.map((id) => found.get(id) ?? null) }
}

async function insertKey(database: Database, key: NewKey): Promise<ApiKey> {
  const [row] = await database.query<KeyRow>(INSERT, [
    ...[key.id, toText(key.name), key.secretDigest, key.scopes, ...reachValues(key)],
    ...[key.rate?.perSecond ?? null, key.rate?.burst ?? null, toTime(key.expiresAt), toText(key.createdBy)],
    ...[key.maxTxFeeWei?.toString() ?? null, toText(key.tenant)],
  ])
  if (row === undefined) throw new Error(`the key ${key.id} was not stored`)
  return readKey(row)
}

async function revokeKey(
  database: Database,
  id: KeyId,
  { actor, reach, evenLast }: Parameters<AccessStore['revokeKey']>[1],
): Promise<RevokeOutcome> {
  const values = [id, toText(actor), ...reachValues(reach), evenLast]
  const [row] = await database.query<RevokedRow>(REVOKE, values)
  if (row === undefined) return { type: 'not_found' }
  if (row.key_id !== null) return { type: 'revoked', key: readKey(row) }
  // Nothing was changed: it was revoked before, or it is the last one.
  const [earlier] = await database.query<KeyRow>(SHOW, [id])
  const isRevoked = earlier !== undefined && earlier.revoked_at !== null
  return isRevoked ? { type: 'revoked', key: readKey(earlier) } : { type: 'last_admin' }
}

async function appendAudit(database: Database, note: AuditNote): Promise<void> {
  const { keyId, actor, nodeId, operation, target, result } = note
  await database.query(APPEND, [keyId, toText(actor), nodeId, operation, toText(target), result])
}

async function checkAudit(
  database: Database,
  { after, limit }: Parameters<AccessStore['checkAudit']>[0],
): Promise<AuditCheck> {
  const [row] = await database.query<CheckRow>(CHECK_AUDIT, [after, limit])
  if (row === undefined) throw new Error('the audit has no head')
  const { broken_at: broken, last_id: id, hash, is_whole: isWhole, head_id: headId, head_hash: headHash } = row
  const head = { id: headId, hash: headHash.slice(2) }
  const deleted = { id: row.deleted_id, hash: row.deleted_hash.slice(2) }
  // Without a part there is only the head: right where it is what was read before, or where there is nothing at all.
  const before = after > deleted.id ? { id: after, hash: head.hash } : deleted
  const last = id === null || hash === null ? before : { id, hash: hash.slice(2) }
  const endsShort = isWhole && (last.id !== headId || last.hash !== head.hash)
  return { brokenAt: broken ?? (endsShort ? headId : null), last, deleted: deleted.id === 0 ? null : deleted }
}
