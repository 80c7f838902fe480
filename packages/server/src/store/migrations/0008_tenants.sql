-- Tenants: whom keys belong to, so that a request is recognised after a key was changed, and nobody sees another's.

alter table api_key add column tenant text;
update api_key set tenant = name;
alter table api_key alter column tenant set not null;
alter table api_key add check (tenant <> '');
alter table api_key drop constraint api_key_scopes_check;
alter table api_key add check (
  cardinality(scopes) > 0 and scopes <@ array['read', 'send', 'operate', 'admin', 'priority']
);

-- '' is the one tenant of a service without keys. What was sent before belongs to the key that its history names.
alter table managed_tx add column tenant text not null default '';
update managed_tx t set tenant = k.tenant
  from tx_event e, api_key k
 where e.tx_id = t.tx_id and e.tx_seq = 1 and e.detail ->> 'by' = k.name || ' (' || k.key_id || ')';
drop index managed_tx_request;
create unique index managed_tx_request on managed_tx (chain_id, signer, request_id, tenant) where request_id is not null;
-- With the tenant in it, how much each has queued is counted from the index alone.
drop index managed_tx_queue;
create index managed_tx_queue on managed_tx (chain_id, signer, priority desc, queue_position) include (tenant)
  where queue_position is not null;

alter table nonce_reservation add column tenant text not null default '';
drop index nonce_reservation_request;
create unique index nonce_reservation_request on nonce_reservation (chain_id, signer, request_id, tenant, ordinal)
  where request_id is not null;

-- The audit is a chain: the hash of each entry covers the one before it, and this row holds the end, so that a change,
-- a gap and a missing end are all found. Numbers are given out under its lock, so that they follow the chain.
create table audit_head (
  single boolean primary key default true check (single),
  last_id bigint not null,
  last_hash bytea not null check (octet_length(last_hash) = 32)
) with (fillfactor = 10);

create function audit_hash(before bytea, id bigint, at timestamptz, key_id text, actor text, node_id text,
                           operation text, target text, result text) returns bytea
  language sql stable parallel safe
  return sha256(before || convert_to(jsonb_build_array(
    id, (extract(epoch from at) * 1000)::bigint, key_id, actor, node_id, operation, target, result)::text, 'UTF8'));

alter table audit_entry add column hash bytea check (octet_length(hash) = 32);
do $$
declare
  entry record;
  chain bytea := decode(repeat('00', 32), 'hex');
  last bigint := 0;
begin
  for entry in select * from audit_entry order by audit_id loop
    chain := audit_hash(chain, entry.audit_id, entry.at, entry.key_id, entry.actor, entry.node_id, entry.operation,
                        entry.target, entry.result);
    update audit_entry set hash = chain where audit_id = entry.audit_id;
    last := entry.audit_id;
  end loop;
  insert into audit_head (last_id, last_hash) values (last, chain);
end $$;
alter table audit_entry alter column hash set not null;
alter table audit_entry alter column audit_id drop identity;
