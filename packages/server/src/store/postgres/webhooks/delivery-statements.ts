/** Deliveries as the node that holds the lease makes, reads and settles them: one statement for all of its webhooks. */
import { COMPLETING_EVENTS } from '../../../core/transaction/tx-event.ts'
import type { DisabledReason, WebhookId } from '../../../core/webhook/webhook.ts'
import type { AttemptResult, DueDelivery, WebhookRoom, WebhookStore } from '../../../ports/webhook-store.ts'
import type { Database } from '../database.ts'
import { toJson } from '../json-text.ts'
import { readEventsById } from '../transactions/event-reads.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, readDelivery } from './webhook-rows.ts'

/**
 * Locks the webhook's row before reading its events, so two nodes can never plan the same ones. In each ordered
 * sequence the first delivery is due, unless an earlier one is still pending. The rest become due one by one as it
 * settles (on the same node, which alternates between planning and settling).
 *
 * A receiver that hangs gets rows only until enough are due: otherwise the rows of many such receivers would delay the
 * events of those that work.
 */
const PLAN = {
  name: 'plan_deliveries',
  text: `
with owned as materialized (
  select w.webhook_id, w.planned_to, w.types, w.chain_id, w.signer, w.completions,
         exists (select from webhook_delivery d
                  where d.webhook_id = w.webhook_id and d.due_at <= statement_timestamp() offset $5)
         or exists (select from webhook_delivery d
                     where d.webhook_id = w.webhook_id and d.state = 'PENDING' offset $3) as is_held_back
    from webhook w
   where w.owner_node = $1 and w.expires_at > clock_timestamp() and w.state = 'ACTIVE'
   order by w.webhook_id
     for no key update
), page as materialized (
  select o.*, e.event_id, e.tx_id, e.type, coalesce(e.tx_id::text, e.chain_id || ':' || encode(e.signer, 'hex')) as line,
         e.chain_id as at_chain, e.signer as at_signer, e.to_state
    from owned o
   cross join lateral (
     select * from tx_event e where e.event_id > o.planned_to order by e.event_id limit $2) e
   where not o.is_held_back
), wanted as materialized (
  select p.*, row_number() over (partition by p.webhook_id, p.line order by p.event_id) = 1 as is_first from page p
   where (p.types is null or p.type = any(p.types))
     and (p.chain_id is null or p.chain_id = p.at_chain)
     and (p.signer is null or p.signer = p.at_signer)
     and (not p.completions or (p.type = any($4::text[])
          and p.to_state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED')))
), made as (
  insert into webhook_delivery (delivery_id, webhook_id, event_id, event_type, tx_id, order_key, due_at)
  select gen_random_uuid(), w.webhook_id, w.event_id, w.type, w.tx_id, w.line,
         case when w.is_first and not exists (
           select from webhook_delivery d
            where d.webhook_id = w.webhook_id and d.order_key = w.line and d.state = 'PENDING')
         then clock_timestamp() end
    from wanted w
   order by w.webhook_id, w.event_id
  on conflict (webhook_id, event_id) do nothing
  returning 1
), reached as (
  select webhook_id, max(event_id) as event_id, count(*) as events from page group by webhook_id
), moved as (
  update webhook w set planned_to = r.event_id from reached r where w.webhook_id = r.webhook_id
  returning r.events
)
select (select count(*) from made) as planned, coalesce((select bool_or(events = $2) from moved), false) as more,
       coalesce((select bool_or(is_held_back) from owned), false) as is_held_back`,
} as const

const DUE = {
  name: 'read_due_deliveries',
  text: `
select ${DELIVERY_COLUMNS}, d.body, w.url, w.fencing_token, w.secret,
       case when w.previous_secret_until > clock_timestamp() then w.previous_secret end as previous_secret,
       (extract(epoch from clock_timestamp() - d.first_attempt_at) * 1000)::bigint as since_first_ms,
       (extract(epoch from clock_timestamp() - least(d.created_at, w.failing_since)) * 1000)::bigint as waited_ms,
       (extract(epoch from d.due_at - clock_timestamp()) * 1000)::bigint as due_in_ms
  from json_to_recordset($2::json) as r(webhook_id uuid, fence bigint, room int, busy uuid[])
  join webhook w on w.webhook_id = r.webhook_id and w.owner_node = $1 and w.fencing_token = r.fence
                and w.expires_at > clock_timestamp() and w.state = 'ACTIVE'
 cross join lateral (
   select * from webhook_delivery d
    where d.webhook_id = w.webhook_id and d.due_at is not null and not d.delivery_id = any(r.busy)
    order by d.due_at, d.place limit r.room) d
 order by d.due_at, d.place`,
} as const

/**
 * Held to the lease by the row lock (the one that its own change of the row needs, taken in key order, so it never
 * deadlocks with a renewal), and each delivery to the attempt that it was handed out for. Pending deliveries of a
 * disabled webhook stay pending until it is enabled again.
 */
const SETTLE = {
  name: 'settle_deliveries',
  text: `
with input as materialized (
  select * from json_to_recordset($2::json) as i(
    delivery_id uuid, webhook_id uuid, fence bigint, attempts int, outcome text, pause_ms bigint, status int, error text,
    response text, duration_ms int, is_gone boolean)
), held as materialized (
  select i.webhook_id
    from (select distinct webhook_id, fence from input order by webhook_id) i
   cross join lateral (
     select from webhook w
      where w.webhook_id = i.webhook_id and w.owner_node = $1 and w.fencing_token = i.fence
        and w.expires_at > clock_timestamp()
        for no key update) w
), settled as (
  update webhook_delivery d
     set attempts = d.attempts + 1, state = case i.outcome when 'delivered' then 'DELIVERED' when 'failed' then 'FAILED'
                                                           else 'PENDING' end,
         due_at = case when i.outcome = 'retry' then clock_timestamp() + i.pause_ms * interval '1 millisecond' end,
         settled_at = case when i.outcome <> 'retry' then date_trunc('milliseconds', clock_timestamp()) end,
         first_attempt_at = coalesce(d.first_attempt_at,
           date_trunc('milliseconds', clock_timestamp() - i.duration_ms * interval '1 millisecond')),
         last_attempt_at = date_trunc('milliseconds', clock_timestamp()),
         last_status = i.status, last_error = i.error, last_response = i.response, last_duration_ms = i.duration_ms
    from input i join held h on h.webhook_id = i.webhook_id
   where d.delivery_id = i.delivery_id and d.state = 'PENDING' and d.attempts = i.attempts
  returning d.webhook_id, d.order_key, d.event_id, i.outcome
), freed as (
  update webhook_delivery d set due_at = clock_timestamp()
    from (select n.delivery_id from settled s
           cross join lateral (
             select n.delivery_id, n.due_at from webhook_delivery n
              where n.webhook_id = s.webhook_id and n.order_key = s.order_key and n.state = 'PENDING'
                and n.event_id > s.event_id
              order by n.event_id limit 1) n
           where s.outcome <> 'retry' and n.due_at is null) f
   where d.delivery_id = f.delivery_id
  returning 1
), verdict as (
  select h.webhook_id, bool_or(i.outcome = 'delivered') as any_delivered, bool_or(i.is_gone) as is_gone
    from held h join input i on i.webhook_id = h.webhook_id group by h.webhook_id
), judged as (
  update webhook w
     set failing_since = case when v.any_delivered then null
                              else coalesce(w.failing_since, date_trunc('milliseconds', clock_timestamp())) end,
         state = case when w.state = 'DISABLED' or v.is_gone or v.is_failing then 'DISABLED' else w.state end,
         disabled_reason = coalesce(w.disabled_reason, case when v.is_gone then 'gone' when v.is_failing then 'failing' end),
         disabled_at = coalesce(w.disabled_at,
           case when v.is_gone or v.is_failing then date_trunc('milliseconds', clock_timestamp()) end)
    from (select v.*, not v.any_delivered and f.failing_since is not null
                      and f.failing_since <= clock_timestamp() - $3 * interval '1 millisecond' as is_failing,
                 f.state = 'ACTIVE' as was_active
            from verdict v join webhook f on f.webhook_id = v.webhook_id) v
   where w.webhook_id = v.webhook_id
     and (v.is_gone or v.is_failing or (w.failing_since is null) <> v.any_delivered)
  returning w.webhook_id, case when v.was_active then w.disabled_reason end as reason
)
select j.webhook_id, j.reason, (select count(*) from freed) as freed from judged j where j.reason is not null`,
} as const

const PRUNE = {
  name: 'prune_deliveries',
  text: `
with old as materialized (
  select delivery_id from webhook_delivery
   where settled_at < clock_timestamp() - $1 * interval '1 millisecond'
   order by settled_at limit $2 for update skip locked
), gone as (delete from webhook_delivery d using old o where d.delivery_id = o.delivery_id returning 1)
select count(*) as gone from gone`,
} as const

interface DueRow extends DeliveryRow {
  readonly body: string | null
  readonly url: string
  readonly fencing_token: number
  readonly secret: string
  readonly previous_secret: string | null
  readonly since_first_ms: number | null
  readonly waited_ms: number
  readonly due_in_ms: number
}

export async function planDeliveries(
  database: Database,
  nodeId: string,
  limits: Parameters<WebhookStore['planDeliveries']>[1],
): ReturnType<WebhookStore['planDeliveries']> {
  const values = [nodeId, limits.events, limits.pending - 1, COMPLETING_EVENTS, limits.due - 1]
  const [row] = await database.query<{ planned: number; more: boolean; is_held_back: boolean }>(PLAN, values)
  return { planned: row?.planned ?? 0, more: row?.more ?? false, isHeldBack: row?.is_held_back ?? false }
}

export async function readDue(
  database: Database,
  nodeId: string,
  rooms: readonly WebhookRoom[],
): ReturnType<WebhookStore['readDue']> {
  const given = rooms.map(({ webhookId, fence, room, busy }) => ({ webhook_id: webhookId, fence, room, busy }))
  const rows = await database.query<DueRow>(DUE, [nodeId, toJson(given)])
  const due = rows.filter((row) => row.due_in_ms <= 0)
  const later = rows.find((row) => row.due_in_ms > 0)
  const events = await readEventsById(
    database,
    due.flatMap(({ event_id: id }) => id ?? []),
  )
  const byId = new Map(events.map((event) => [event.eventId, event]))
  return {
    due: due.map((row) => readDueRow(row, byId.get(row.event_id ?? -1) ?? null)),
    nextInMs: later?.due_in_ms ?? null,
    longestWaitMs: Math.max(0, ...rows.map((row) => row.waited_ms)),
  }
}

function readDueRow(row: DueRow, event: DueDelivery['event']): DueDelivery {
  return {
    delivery: readDelivery(row),
    fence: row.fencing_token,
    url: row.url,
    secrets: row.previous_secret === null ? [row.secret] : [row.secret, row.previous_secret],
    event,
    body: row.body,
    sinceFirstMs: row.since_first_ms,
    waitedMs: row.waited_ms,
  }
}

export async function settleDeliveries(
  database: Database,
  nodeId: string,
  results: readonly AttemptResult[],
  disableAfterMs: number,
): Promise<readonly { readonly webhookId: WebhookId; readonly reason: DisabledReason }[]> {
  if (results.length === 0) return []
  const rows = await database.query<{ webhook_id: string; reason: DisabledReason }>(SETTLE, [
    nodeId,
    toJson(results.map(toSettleRow)),
    disableAfterMs,
  ])
  return rows.map(({ webhook_id: webhookId, reason }) => ({ webhookId, reason }))
}

function toSettleRow({ due: { delivery, fence }, outcome, answer, isGone }: AttemptResult) {
  return {
    delivery_id: delivery.id,
    webhook_id: delivery.webhookId,
    fence,
    attempts: delivery.attempts,
    outcome: outcome.type,
    pause_ms: outcome.type === 'retry' ? Math.ceil(outcome.pauseMs) : null,
    status: answer.status,
    error: answer.error,
    response: answer.response,
    duration_ms: Math.ceil(answer.durationMs),
    is_gone: isGone,
  }
}

export async function pruneDeliveries(database: Database, olderThanMs: number, limit: number): Promise<number> {
  const [row] = await database.query<{ gone: number }>(PRUNE, [olderThanMs, limit])
  return row?.gone ?? 0
}
