-- Reservations that cannot freeze a signer: whose they are, alarms, and orders of operators.

-- Who asked: the API key, by id and as people know it. Null where there was none.
alter table nonce_reservation add column key_id text;
alter table nonce_reservation add column holder text;
alter table nonce_reservation add column alarm text
  check (alarm in ('unknown_hash', 'not_mined', 'not_used'));
alter table nonce_reservation add column alarm_at timestamptz;
alter table nonce_reservation add constraint nonce_reservation_alarm_is_whole check ((alarm is null) = (alarm_at is null));
-- An operator ordered an empty transaction for the nonce; the lane's owner has begun to carry that out.
alter table nonce_reservation add column fill_ordered_at timestamptz;
alter table nonce_reservation add column yielded_at timestamptz;
alter table nonce_reservation add constraint nonce_reservation_yielded_on_order check (
  yielded_at is null or (fill_ordered_at is not null and nonce is not null)
);

-- A nonce that was yielded is RESERVED for nobody until the transaction that fills it takes it.
alter table nonce_allocation drop constraint nonce_allocation_changes_hands_when_recyclable;
alter table nonce_allocation add constraint nonce_allocation_changes_hands_when_recyclable check (
  previous_status is null
  or previous_status = 'RECYCLABLE'
  or (previous_status = 'RESERVED' and previous_tx_id is null and previous_lock_owner is null)
  or (tx_id is null and lock_owner is null)
  or (tx_id is not distinct from previous_tx_id and lock_owner is not distinct from previous_lock_owner)
);
