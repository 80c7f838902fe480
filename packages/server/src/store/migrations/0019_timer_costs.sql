-- What fires next, as of the last block or command: written with it, so that reading it asks nobody.
alter table timer_chain add column queue jsonb;

-- Its transaction was still in line when its block was dropped, so it is cancelled. If the fire comes again after that, it
-- is a new one.
alter table mailbox_entry add column withdrawn boolean not null default false;
alter table mailbox_entry add check (orphaned or not withdrawn);
create index mailbox_entry_withdrawn on mailbox_entry (chain_id) where withdrawn;

-- What the final transactions of a timer's fires have cost, as far as they have been added up. What is final and not
-- added yet is added when a timer is read, so there are never many of those.
alter table timer
  add column sent bigint not null default 0,
  add column reverted bigint not null default 0,
  add column gas_used numeric(78) not null default 0,
  add column fees_paid numeric(78) not null default 0,
  -- Since it was last changed or resumed, how many of its last transactions reverted, on chain or before they were sent.
  add column failures bigint not null default 0;
-- Timers by cron that have fired, and whose next time is not set yet.
create index timer_between_times on timer (chain_id) where state = 'DONE' and spec -> 'schedule' ->> 'type' = 'cron';
alter table mailbox_entry add column metered boolean not null default false;
create index mailbox_entry_unmetered on mailbox_entry (chain_id, height, position) where state = 'QUEUED' and not metered;
-- Of a fire that was skipped: it has been looked at for an event.
create index mailbox_entry_unfunded on mailbox_entry (chain_id) where skip_reason = 'low_funds' and not metered;
create index mailbox_entry_unmetered_of_timer on mailbox_entry (timer_id) where state = 'QUEUED' and not metered;
