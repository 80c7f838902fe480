/** The end of old audit entries: always the oldest ones without a gap, so that the rest stays one chain after them. */
import type { AccessStore, AuditDeletion } from '../../../ports/access-store.ts'
import type { Database } from '../database.ts'

/** Any constant will do as long as nothing else in the database uses it. */
const LOCK_KEY = '4919341720851439'

const DELETE_AUDIT = {
  name: 'delete_audit',
  text: `
with turn as materialized (select pg_try_advisory_xact_lock(${LOCK_KEY}) as mine),
looked as materialized (
  select e.audit_id, e.hash,
         e.at > clock_timestamp() - $1 * interval '1 millisecond'
           or ($3 and e.audit_id > (select a.up_to from archive_mark a where a.kind = 'audit')) as stays
    from audit_entry e where (select mine from turn) order by e.audit_id limit $2
), due as materialized (
  select l.audit_id, l.hash from looked l
   where l.audit_id < coalesce((select min(s.audit_id) from looked s where s.stays), 9223372036854775807)
), newest as (select d.audit_id, d.hash from due d order by d.audit_id desc limit 1
), anchored as (
  update audit_head h set deleted_id = n.audit_id, deleted_hash = n.hash from newest n
), deleted as (
  delete from audit_entry e using due d where e.audit_id = d.audit_id
)
select (select mine from turn) as mine, (select count(*) from due) as count,
       coalesce((select audit_id from newest), 0) as last_id`,
} as const

export async function deleteAudit(
  database: Database,
  { olderThanMs, limit, onlyArchived }: AuditDeletion,
): ReturnType<AccessStore['deleteAudit']> {
  interface Row {
    readonly mine: boolean
    readonly count: number
    readonly last_id: number
  }
  const [row] = await database.query<Row>(DELETE_AUDIT, [olderThanMs, limit, onlyArchived])
  return row?.mine === true ? { count: row.count, lastId: row.last_id } : null
}
