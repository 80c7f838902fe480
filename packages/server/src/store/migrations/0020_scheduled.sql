-- A timer by cron stays ACTIVE between its times: it has no height then.
drop index timer_between_times;
update timer set state = 'ACTIVE' where state = 'DONE' and spec -> 'schedule' ->> 'type' = 'cron';
create index timer_between_times on timer (chain_id)
  where state = 'ACTIVE' and due_height is null and spec -> 'schedule' ->> 'type' = 'cron';

-- The block or the time of its chain that a transaction waits for. They never change, and the index adds no column that
-- other updates would have to keep up to date.
alter table managed_tx
  add column not_before_height bigint check (not_before_height >= 0),
  add column not_before_time timestamptz,
  add check (num_nonnulls(not_before_height, not_before_time) < 2);
create index managed_tx_scheduled on managed_tx (chain_id, signer)
  where queue_position is not null and (not_before_height is not null or not_before_time is not null);

create index timer_live_of_signer on timer (chain_id, signer) where state in ('ACTIVE', 'PAUSED');
