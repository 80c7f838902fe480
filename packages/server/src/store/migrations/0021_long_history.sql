-- What has been archived may be deleted: how far `drover archive` has come with each kind.
create table archive_mark (
  kind text primary key check (kind in ('transactions', 'events', 'audit')),
  -- The number of the last one archived. Of transactions it is the event that made it final: these come in the order of
  -- their commits, so what is final later also has a higher number.
  up_to bigint not null default 0 check (up_to >= 0),
  archived_at timestamptz
);
insert into archive_mark (kind) values ('transactions'), ('events'), ('audit');

-- Few events belong to no transaction: these are found without passing all others.
create index tx_event_of_no_tx_place on tx_event (event_id) where tx_id is null;

-- The audit has an end too. What stays of deleted entries is the number and hash of the last one: the chain continues from there.
alter table audit_head
  add column deleted_id bigint not null default 0,
  add column deleted_hash bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(deleted_hash) = 32);

-- Among millions that succeeded, the few that did not are found without looking at all. The state itself must not be
-- indexed, because it changes often (see migration 0014); this changes once, at the end, when every index gets a new entry anyway.
-- A trigger sets it, since a node of an earlier version may be writing too; it runs only for these few.
alter table managed_tx add column failed_as text;

create function note_failed_state() returns trigger language plpgsql as $$
begin
  new.failed_as := new.state;
  return new;
end $$;

create trigger managed_tx_failed before update on managed_tx for each row
  when (new.final_at is not null and new.state <> 'CONFIRMED' and new.failed_as is null)
  execute function note_failed_state();

update managed_tx set failed_as = state where final_at is not null and state <> 'CONFIRMED';
create index managed_tx_failed_as on managed_tx (failed_as, accepted_seq) where failed_as is not null;
