-- What fires next, as of the last block or command: written with it, so that reading it asks nobody.
alter table timer_chain add column queue jsonb;

-- Its transaction was still in line when its block was dropped, so it is cancelled. If the fire comes again after that, it
-- is a new one.
alter table mailbox_entry add column withdrawn boolean not null default false;
alter table mailbox_entry add check (orphaned or not withdrawn);
create index mailbox_entry_withdrawn on mailbox_entry (chain_id) where withdrawn;
