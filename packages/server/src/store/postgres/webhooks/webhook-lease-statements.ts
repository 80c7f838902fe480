/**
 * Which node delivers a webhook. Each node takes free webhooks up to an equal share, so all are taken whichever nodes
 * come and go: the shares of all nodes together cover at least all webhooks.
 */
import type { WebhookId } from '../../../core/webhook/webhook.ts'
import type { WebhookLease } from '../../../ports/webhook-store.ts'
import type { Database } from '../database.ts'
import { CHANNEL, WEBHOOKS_CHANGED } from '../notice-payload.ts'

/**
 * A takeover locks the row FOR UPDATE and so waits for every fenced write in progress; a webhook that another node is
 * taking right now is skipped. The new owner repairs what a dead node may have left: a delivery that waits although
 * nothing is ahead of it any more.
 */
const KEEP = {
  name: 'keep_webhooks',
  text: `
with share as materialized (
  select ceil(count(*)::numeric / $2)::int as most from webhook where state = 'ACTIVE'
), mine as materialized (
  select w.webhook_id, row_number() over (order by w.webhook_id) as place
    from (select webhook_id from webhook
           where owner_node = $1 and expires_at > clock_timestamp() and state = 'ACTIVE'
           order by webhook_id for no key update) w
), renewed as (
  update webhook w set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    from mine m where w.webhook_id = m.webhook_id
  returning w.webhook_id, w.fencing_token, m.place > (select most from share) as is_surplus
), free as materialized (
  select webhook_id from webhook
   where state = 'ACTIVE' and (owner_node is null or expires_at <= clock_timestamp())
   order by webhook_id
   limit greatest(0, (select most from share) - (select count(*) from mine))
     for update skip locked
), taken as (
  update webhook w
     set owner_node = $1, fencing_token = w.fencing_token + 1,
         expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    from free f where w.webhook_id = f.webhook_id
  returning w.webhook_id, w.fencing_token
), freed as (
  update webhook_delivery d set due_at = clock_timestamp()
    from (select distinct on (p.webhook_id, p.order_key) p.delivery_id, p.due_at
            from taken t join webhook_delivery p on p.webhook_id = t.webhook_id and p.state = 'PENDING'
           order by p.webhook_id, p.order_key, p.event_id) first
   where d.delivery_id = first.delivery_id and first.due_at is null
  returning 1
)
select webhook_id, fencing_token, is_surplus, (select count(*) from freed) as freed from renewed
union all
select webhook_id, fencing_token, false, 0 from taken`,
} as const

const RELEASE = {
  name: 'release_webhooks',
  text: `
with mine as materialized (
  select webhook_id from webhook where owner_node = $1 and webhook_id = any($2::uuid[])
   order by webhook_id for update
), given as (
  update webhook w set owner_node = null, expires_at = '-infinity' from mine m where w.webhook_id = m.webhook_id
  returning 1
)
select pg_notify('${CHANNEL}', '${WEBHOOKS_CHANGED}') from given limit 1`,
} as const

interface LeaseRow {
  readonly webhook_id: string
  readonly fencing_token: number
  readonly is_surplus: boolean
}

export async function keepWebhooks(
  database: Database,
  nodeId: string,
  nodes: number,
  ttlMs: number,
): Promise<readonly WebhookLease[]> {
  const rows = await database.query<LeaseRow>(KEEP, [nodeId, Math.max(1, nodes), ttlMs])
  return rows.map((row) => ({ webhookId: row.webhook_id, fence: row.fencing_token, isSurplus: row.is_surplus }))
}

export async function releaseWebhooks(database: Database, nodeId: string, ids: readonly WebhookId[]): Promise<void> {
  if (ids.length > 0) await database.query(RELEASE, [nodeId, ids])
}
