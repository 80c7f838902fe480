-- Compacted history: routine entries are counted while a transaction waits in one sub-state.

-- Entries of its history from this one on may be counted again instead of repeated: those since the last news.
alter table managed_tx add column event_open_from integer not null default 2;
update managed_tx set event_open_from = event_seq + 1 where final_at is null;
alter table managed_tx alter column event_open_from drop default;
alter table managed_tx drop column event_key;
