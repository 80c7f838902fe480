/**
 * What the fires of a timer have cost, from the receipts that are stored with their transactions. The owner of the chain's
 * timers adds up what is final, some fires at a time; what it has not come to yet is added when a timer is read. A final
 * state never changes, so nothing is ever taken back.
 *
 * The same statement reports timers that began to skip fires because their signer is out of funds: one event for each run
 * of such fires.
 */
import type { TimerCost } from '../../../core/timer/timer.ts'
import type { FirePlace, MeterResult, TimerLease } from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { CHANNEL, EVENTS_APPENDED } from '../notice-payload.ts'
import type { Stored } from '../stored-json.ts'
import { HELD } from './timer-lease-statements.ts'

/** Sums over final transactions `x`; one that never took a nonce has no inclusion and cost nothing. */
const SUMS = `
count(*) filter (where x.inclusion is not null) as sent,
count(*) filter (where x.state = 'FAILED_FINAL') as reverted,
coalesce(sum((x.inclusion ->> 'gasUsed')::numeric), 0) as gas_used,
coalesce(sum((x.inclusion ->> 'gasUsed')::numeric * (x.inclusion ->> 'effectiveGasPrice')::numeric), 0) as fees_paid`

/** The cost of timer `t` as a column. */
export const COST_COLUMN = `
(select json_build_object('sent', t.sent + o.sent, 'reverted', t.reverted + o.reverted, 'failures', t.failures,
                          'gasUsed', (t.gas_used + o.gas_used)::text, 'feesPaid', (t.fees_paid + o.fees_paid)::text)
   from (select ${SUMS}
           from mailbox_entry e join managed_tx x on x.tx_id = e.tx_id
          where e.timer_id = t.timer_id and e.state = 'QUEUED' and not e.metered and x.final_at is not null) o) as cost`

export function readCost({ sent, reverted, failures, gasUsed, feesPaid }: Stored<TimerCost>): TimerCost {
  return { sent, reverted, failures, gasUsed: BigInt(gasUsed), feesPaid: BigInt(feesPaid) }
}

const METER = {
  name: 'meter_fires',
  text: `
with ${HELD}, looked as materialized (
  select deliver_id, timer_id, tx_id, height, position, row_number() over (order by height, position) as place
    from mailbox_entry
   where chain_id = $1 and state = 'QUEUED' and not metered and (height, position) > ($4::bigint, $5::int)
     and exists (select from held)
   order by height, position limit $6
), final as materialized (
  select l.deliver_id, l.timer_id, x.state, x.inclusion,
         x.state = 'FAILED_FINAL' or x.sub_state = 'rejected' as is_failure,
         max(case when x.state = 'CONFIRMED' then l.place end) over (partition by l.timer_id) as last_good, l.place
    from looked l join managed_tx x on x.tx_id = l.tx_id where x.final_at is not null
), metered as (
  update mailbox_entry e set metered = true from final f where e.deliver_id = f.deliver_id returning 1
), added as (
  update timer t
     set sent = t.sent + s.sent, reverted = t.reverted + s.reverted, gas_used = t.gas_used + s.gas_used,
         fees_paid = t.fees_paid + s.fees_paid,
         failures = case when s.has_good then 0 else t.failures end + s.failures
    from (select x.timer_id, bool_or(x.state = 'CONFIRMED') as has_good,
                 count(*) filter (where x.is_failure and x.place > coalesce(x.last_good, 0)) as failures, ${SUMS}
            from final x group by x.timer_id) s
   where t.timer_id = s.timer_id
  returning t.timer_id, t.kernel_id, t.tenant, t.spec, t.state, t.failures, s.failures as added
), retiring as (
  insert into timer_command (command_id, chain_id, body, tenant)
  select gen_random_uuid(), $1, jsonb_build_object(
           'type', 'retire', 'timerId', a.timer_id, 'kernelId', '0x' || encode(a.kernel_id, 'hex'), 'tenant', a.tenant,
           'failures', a.failures, 'earlier', a.spec -> 'schedule' -> 'follows',
           'spec', jsonb_build_object('owner', a.spec -> 'owner', 'target', a.spec -> 'target')), ''
    from added a
   where a.state = 'ACTIVE' and a.added > 0 and (a.spec ->> 'maxFailures')::int between 1 and a.failures
  returning 1
), skipped as (
  update mailbox_entry e set metered = true
   where e.chain_id = $1 and e.skip_reason = 'low_funds' and not e.metered and exists (select from held)
  returning e.deliver_id, e.timer_id, e.signer, e.height, e.position
), event as materialized (
  select row_number() over (order by s.height, s.position) as place, s.signer,
         jsonb_strip_nulls(jsonb_build_object(
           'timerId', s.timer_id, 'fireId', '0x' || encode(s.deliver_id, 'hex'), 'tenant', nullif(t.tenant, ''))) as detail
    from skipped s join timer t on t.timer_id = s.timer_id
   where 'low_funds' is distinct from (
     select p.skip_reason from mailbox_entry p
      where p.timer_id = s.timer_id and (p.height, p.position) < (s.height, s.position)
      order by p.height desc, p.position desc limit 1)
), head as (
  update event_head set last_id = last_id + (select count(*) from event)
   where exists (select from event)
     and (select count(*) from metered) + (select count(*) from added) + (select count(*) from retiring) >= 0
  returning last_id - (select count(*) from event) as base, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, chain_id, signer, type, cause, detail, at, last_at)
  select h.base + e.place, $1, e.signer, 'timer.skipped', 'low_funds', e.detail, h.at, h.at
    from event e cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', '${EVENTS_APPENDED}') where exists (select from event)
)
select exists (select from held) as held, (select count(*) from looked) as looked,
       (select count(*) from metered) as metered, (select count(*) from added) as added,
       (select count(*) from retiring) as retiring, (select count(*) from appended) as appended,
       (select count(*) from told) as told,
       (select max(height) from looked) as height,
       (select position from looked order by height desc, position desc limit 1) as position`,
} as const

interface MeteredRow {
  readonly held: boolean
  readonly looked: number
  readonly metered: number
  readonly retiring: number
  readonly height: number | null
  readonly position: number | null
}

export async function meterFires(
  database: Database,
  { chainId, nodeId, fence }: TimerLease,
  after: FirePlace | null,
  limit: number,
): Promise<MeterResult> {
  const place = [after?.height ?? -1, after?.position ?? -1]
  const [row] = await database.query<MeteredRow>(METER, [chainId, nodeId, fence, ...place, limit])
  if (row?.held !== true) return { type: 'fenced' }
  const { height, position, looked, metered } = row
  const next = height === null || position === null || looked < limit ? null : { height, position }
  return { type: 'metered', next, open: looked - metered, retiring: row.retiring }
}
