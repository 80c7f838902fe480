/** Storing accepted transactions, as steps of a statement: those of requests, and those that timers send. */
import type { NewTransaction } from '../../../ports/store.ts'
import { bindingSubjects } from '../../rules/binding-subjects.ts'
import { ACCEPTED_NOTE, acceptedNote } from '../../rules/history-note.ts'
import { toBytes, toStored, toText, toTime } from '../json-text.ts'
import { CHANNEL, EVENTS_APPENDED } from '../notice-payload.ts'

/**
 * Places in the queue are assigned in batch order under the locks of the lanes, see `acceptance-order.ts`. The head of
 * the event stream is locked last, as in every write.
 *
 * Look-ups by request write `chain_id + 0` and `(select …) is null`, so that no plan can do anything but probe the
 * index of requests once for each: an empty table makes reading all of it, or of a lane, look as cheap (see migration
 * 0014).
 */
const SUB_STATE = `case when i.approval is not null then 'awaiting_approval'
              when num_nonnulls(i.not_before_height, i.not_before_time) > 0 then 'scheduled' else 'accepted' end`

/** What an accepted transaction is given as, see `toAcceptedRow`. */
export const ACCEPTED_FIELDS = `
      ord int, tx_id uuid, chain_id bigint, signer bytea, request_id text, request_digest bytea, to_address bytea,
      data bytea, value numeric, gas_limit numeric, fees jsonb, speed text, priority int, valid_until timestamptz,
      finality jsonb, simulate boolean, simulated boolean, metadata jsonb, max_fee numeric, access_list jsonb,
      exact_nonce bigint, detail jsonb, tenant text, key_id text, approval jsonb, approve_by timestamptz,
      not_before_height bigint, not_before_time timestamptz,
      subjects text[], judged_by text[]`

/**
 * Steps of a statement that follow one named `input`, with those fields and `seq`, the place in line; `inserted` has what
 * was new. What rules bind is stored only if it was held against all of them. `before` names steps that must be done
 * before the head of the stream is locked.
 */
export const acceptSteps = (before: readonly string[] = []) => `
inserted as (
  insert into managed_tx (tx_id, chain_id, signer, request_id, request_digest, to_address, data, value, gas_limit,
                          fees, speed, priority, valid_until, finality, simulate, simulated, metadata, created_at,
                          accepted_seq, queue_position, state, sub_state, event_seq, event_open_from, max_fee,
                          access_list, exact_nonce, tenant, key_id, approval, approve_by, not_before_height,
                          not_before_time)
  select i.tx_id, i.chain_id, i.signer, i.request_id, i.request_digest, i.to_address, i.data, i.value, i.gas_limit,
         i.fees, i.speed, i.priority, i.valid_until, i.finality, i.simulate, i.simulated, i.metadata,
         date_trunc('milliseconds', clock_timestamp()), i.seq, i.seq, 'QUEUED', ${SUB_STATE}, 1, 2, i.max_fee,
         i.access_list, i.exact_nonce, i.tenant, i.key_id, i.approval, i.approve_by, i.not_before_height,
         i.not_before_time
    from input i
   where exists (select from signer s where s.chain_id = i.chain_id and s.signer = i.signer and s.removed_at is null)
     and (i.tenant = '' or i.request_id is null or (
       select o.tx_id from managed_tx o
        where o.request_id = i.request_id and o.signer = i.signer and o.tenant = '' and o.chain_id + 0 = i.chain_id
        limit 1) is null)
     and (i.request_id is null or (
       select r.tx_id from retired_tx r
        where r.request_id = i.request_id and r.signer = i.signer and r.tenant in (i.tenant, '')
          and r.chain_id + 0 = i.chain_id
        limit 1) is null)
     and not exists (select from spending_account a where a.subject = any(i.subjects) and a.subject <> all(i.judged_by))
   order by i.chain_id, i.signer, i.request_id, i.tenant, i.tx_id, i.ord
  on conflict do nothing
  returning tx_id, chain_id, signer, created_at, accepted_seq, sub_state
), head as (
  update event_head set last_id = last_id + (select count(*) from inserted)
   where exists (select from inserted)${before.map((step) => ` and (select count(*) from ${step}) >= 0`).join('')}
  returning last_id, clock_timestamp() as at
), appended as (
  insert into tx_event (event_id, tx_id, tx_seq, chain_id, signer, type, to_state, sub_state, detail, at, last_at)
  select h.last_id - count(*) over () + row_number() over (order by i.accepted_seq), i.tx_id, 1, i.chain_id, i.signer,
         '${ACCEPTED_NOTE.type}', 'QUEUED', i.sub_state, (select jsonb_object_agg(tx_id, detail) from input) -> i.tx_id::text,
         h.at, h.at
    from inserted i cross join head h
  returning 1
), told as materialized (
  select pg_notify('${CHANNEL}', payload)
    from (select format('{"type":"lane.work","chainId":%s,"signer":"0x%s"}', chain_id, encode(signer, 'hex')) as payload
            from (select distinct chain_id, signer from inserted) l
          union select '${EVENTS_APPENDED}' where exists (select from inserted)) n
)`

/** A transaction as `ACCEPTED_FIELDS` has it. What is null is left out: most of it is, and both sides save the text. */
export function toAcceptedRow(entry: NewTransaction, place: number) {
  const { id, intent, by, tenant = '', keyId, approval, judgedBy } = entry
  const { notBefore } = intent
  return {
    ord: place,
    tx_id: id,
    chain_id: intent.lane.chainId,
    signer: toBytes(intent.lane.signer),
    request_id: intent.requestId ?? undefined,
    request_digest: toBytes(intent.requestDigest),
    to_address: toBytes(intent.to) ?? undefined,
    data: toBytes(intent.data),
    value: toStored(intent.value),
    gas_limit: toStored(intent.gasLimit) ?? undefined,
    fees: toStored(intent.fees) ?? undefined,
    speed: intent.speed,
    priority: intent.priority,
    valid_until: toTime(intent.validUntil) ?? undefined,
    finality: intent.finality ?? undefined,
    simulate: intent.simulate,
    simulated: intent.simulated,
    metadata: intent.metadata,
    max_fee: toStored(intent.maxFeeWei) ?? undefined,
    access_list: intent.accessList,
    exact_nonce: intent.exactNonce,
    detail: acceptedNote(by).detail,
    tenant: toText(tenant),
    key_id: keyId,
    approval,
    approve_by: toTime(approval?.expiresAt ?? null) ?? undefined,
    not_before_height: notBefore !== undefined && 'height' in notBefore ? notBefore.height : undefined,
    not_before_time: notBefore !== undefined && 'timeMs' in notBefore ? toTime(notBefore.timeMs) : undefined,
    subjects: bindingSubjects(entry),
    judged_by: judgedBy ?? [],
  }
}
