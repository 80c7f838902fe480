-- A timer by cron stays ACTIVE between its times: it has no height then.
drop index timer_between_times;
update timer set state = 'ACTIVE' where state = 'DONE' and spec -> 'schedule' ->> 'type' = 'cron';
create index timer_between_times on timer (chain_id)
  where state = 'ACTIVE' and due_height is null and spec -> 'schedule' ->> 'type' = 'cron';
