/** Changes to webhooks, from any node. Each change wakes the node that delivers. */
import type { Delivery, DeliveryId, Webhook, WebhookId } from '../../../core/webhook/webhook.ts'
import type { DeliveryPage, NewWebhook, RedeliverOutcome, WebhookChange } from '../../../ports/webhook-store.ts'
import type { Database } from '../database.ts'
import { toBytes, toText } from '../json-text.ts'
import { CHANNEL, WEBHOOKS_CHANGED } from '../notice-payload.ts'
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  readDelivery,
  readWebhook,
  WEBHOOK_COLUMNS,
  type WebhookRow,
} from './webhook-rows.ts'

const NOW = `date_trunc('milliseconds', clock_timestamp())`
const TOLD = (from: string) =>
  `told as materialized (select pg_notify('${CHANNEL}', '${WEBHOOKS_CHANGED}') from ${from} limit 1)`

/** Two inserts at the same moment may both find room: the limit stops a flood, and need not be exact. */
const INSERT = {
  name: 'insert_webhook',
  text: `
with made as (
  insert into webhook as w (webhook_id, url, description, types, chain_id, signer, completions, secret, planned_to,
                            created_by)
  select $1, $2, $3, $4::text[], $5, $6, $7, $8, coalesce($9, h.last_id), $10 from event_head h
   where (select count(*) from webhook) < $11
  returning ${WEBHOOK_COLUMNS}
), ${TOLD('made')}
select w.*, (select count(*) from told) as told from made w`,
} as const

const LIST = {
  name: 'list_webhooks',
  text: `select ${WEBHOOK_COLUMNS} from webhook w order by w.created_at desc, w.webhook_id`,
} as const

const FIND = { name: 'find_webhook', text: `select ${WEBHOOK_COLUMNS} from webhook w where w.webhook_id = $1` } as const

/** `$n_given` says whether a column is to be changed, since null is a value too. */
const UPDATE = {
  name: 'update_webhook',
  text: `
with made as (
  update webhook w set
    url = coalesce($2, w.url),
    description = case when $3 then $4 else w.description end,
    types = case when $5 then $6::text[] else w.types end,
    chain_id = case when $5 then $7 else w.chain_id end,
    signer = case when $5 then $8::bytea else w.signer end,
    completions = case when $5 then $9 else w.completions end,
    state = case $10::boolean when true then 'ACTIVE' when false then 'DISABLED' else w.state end,
    disabled_reason = case $10::boolean when true then null when false then coalesce(w.disabled_reason, 'operator')
                                       else w.disabled_reason end,
    disabled_at = case $10::boolean when true then null when false then coalesce(w.disabled_at, ${NOW})
                                   else w.disabled_at end,
    failing_since = case when $10::boolean is not null or $2 is not null then null else w.failing_since end,
    secret = coalesce($11, w.secret),
    previous_secret = case when $11 is not null then w.secret else w.previous_secret end,
    previous_secret_until = case when $11 is not null then ${NOW} + $12 * interval '1 millisecond'
                                 else w.previous_secret_until end
  where w.webhook_id = $1
  returning ${WEBHOOK_COLUMNS}
), ${TOLD('made')}
select w.*, (select count(*) from told) as told from made w`,
} as const

const DELETE = {
  name: 'delete_webhook',
  text: `delete from webhook w where w.webhook_id = $1 returning ${WEBHOOK_COLUMNS}`,
} as const

/** Its log can be millions of rows, too many for one statement. */
const CLEAR_LOG = {
  name: 'clear_deliveries',
  text: `
with chosen as materialized (
  select d.delivery_id from webhook_delivery d where d.webhook_id = $1 limit $2 for update
), gone as (delete from webhook_delivery d using chosen c where d.delivery_id = c.delivery_id returning 1)
select count(*) as gone from gone`,
} as const
const CLEARED_AT_ONCE = 10_000

const LOG = {
  name: 'list_deliveries',
  text: `
select ${DELIVERY_COLUMNS} from webhook_delivery d
 where d.webhook_id = $1 and ($2::bigint is null or d.place < $2) and ($3::text is null or d.state = $3)
 order by d.place desc limit $4`,
} as const

/** A manual redelivery leaves the queue: it does not wait for others, and others do not wait for it. */
const REDELIVER = {
  name: 'redeliver',
  text: `
with found as materialized (
  select d.delivery_id, d.state = 'PENDING' and d.due_at is null as waits
    from webhook_delivery d where d.webhook_id = $1 and d.delivery_id = $2 for no key update
), made as (
  update webhook_delivery d
     set state = 'PENDING', settled_at = null, due_at = ${NOW}, attempts = 0, first_attempt_at = null,
         order_key = case when d.state = 'PENDING' then d.order_key else d.delivery_id::text end
    from found f
   where d.delivery_id = f.delivery_id and not f.waits
  returning ${DELIVERY_COLUMNS}
), ${TOLD('made')}
select m.*, f.waits, (select count(*) from told) as told from found f left join made m on true`,
} as const

const TEST = {
  name: 'insert_webhook_test',
  text: `
with made as (
  insert into webhook_delivery as d (delivery_id, webhook_id, body, event_type, order_key, due_at)
  select $2::uuid, w.webhook_id, $3, 'webhook.test', ($2::uuid)::text, ${NOW} from webhook w where w.webhook_id = $1
  returning ${DELIVERY_COLUMNS}
), ${TOLD('made')}
select d.*, (select count(*) from told) as told from made d`,
} as const

export async function insertWebhook(database: Database, webhook: NewWebhook, most: number): Promise<Webhook | null> {
  const { id, url, description, filter, secret, after, createdBy } = webhook
  const [row] = await database.query<WebhookRow>(INSERT, [
    ...[id, url, description === null ? null : toText(description)],
    ...[filter.types, filter.chainId, toBytes(filter.signer), filter.completions],
    ...[secret, after, toText(createdBy), most],
  ])
  return row === undefined ? null : readWebhook(row)
}

export async function listWebhooks(database: Database): Promise<readonly Webhook[]> {
  return (await database.query<WebhookRow>(LIST, [])).map(readWebhook)
}

export async function findWebhook(database: Database, id: WebhookId): Promise<Webhook | null> {
  const [row] = await database.query<WebhookRow>(FIND, [id])
  return row === undefined ? null : readWebhook(row)
}

export async function updateWebhook(database: Database, id: WebhookId, change: WebhookChange): Promise<Webhook | null> {
  const { url, description, filter, enabled, newSecret } = change
  const [row] = await database.query<WebhookRow>(UPDATE, [
    ...[id, url ?? null],
    ...[description !== undefined, description === undefined || description === null ? null : toText(description)],
    ...[filter !== undefined, filter?.types ?? null, filter?.chainId ?? null, toBytes(filter?.signer ?? null)],
    ...[filter?.completions ?? null, enabled ?? null],
    ...[newSecret?.secret ?? null, newSecret?.overlapMs ?? 0],
  ])
  return row === undefined ? null : readWebhook(row)
}

/**
 * Disabled first, so nothing is added to what is being cleared. After an interruption, a repeated request continues.
 */
export async function deleteWebhook(database: Database, id: WebhookId): Promise<Webhook | null> {
  const before = await findWebhook(database, id)
  if (before === null) return null
  await updateWebhook(database, id, { enabled: false })
  while ((await clearSome(database, id)) === CLEARED_AT_ONCE);
  const [row] = await database.query<WebhookRow>(DELETE, [id])
  return row === undefined ? null : before
}

async function clearSome(database: Database, id: WebhookId): Promise<number> {
  const [row] = await database.query<{ gone: number }>(CLEAR_LOG, [id, CLEARED_AT_ONCE])
  return row?.gone ?? 0
}

export async function listDeliveries(
  database: Database,
  id: WebhookId,
  { before, state, limit }: DeliveryPage,
): Promise<readonly Delivery[]> {
  return (await database.query<DeliveryRow>(LOG, [id, before, state, limit])).map(readDelivery)
}

export async function redeliver(database: Database, id: WebhookId, deliveryId: DeliveryId): Promise<RedeliverOutcome> {
  type Row = { readonly waits: boolean } & (DeliveryRow | { readonly delivery_id: null })
  const [row] = await database.query<Row>(REDELIVER, [id, deliveryId])
  if (row === undefined) return { type: 'missing' }
  return row.delivery_id === null ? { type: 'waiting' } : { type: 'due', delivery: readDelivery(row) }
}

export async function insertTest(
  database: Database,
  id: WebhookId,
  test: { readonly id: DeliveryId; readonly body: string },
): Promise<Delivery | null> {
  const [row] = await database.query<DeliveryRow>(TEST, [id, test.id, test.body])
  return row === undefined ? null : readDelivery(row)
}
