-- Finished transactions have an end. What stays of one is its request id, in a narrow row, so that a repeat is still
-- recognised and nothing is sent twice.
--
-- The row comes first, and the transaction is deleted in a later statement, after every statement that began before the
-- row was there has ended. An acceptance sees the row, or the transaction, or both, and never neither: the snapshot of
-- one that began before the row was committed still has the transaction, and its unique key is only given up later.
create table retired_tx (
  tx_id uuid primary key,
  chain_id bigint not null,
  signer bytea not null,
  tenant text not null,
  request_id text,
  request_digest bytea not null check (octet_length(request_digest) = 32),
  retired_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- When the transaction itself was deleted; null: it is still there.
  deleted_at timestamptz
);

-- In the order of managed_tx_request, for the same look-ups.
create unique index retired_tx_request on retired_tx (request_id text_pattern_ops, signer, tenant, chain_id)
  where request_id is not null;
create index retired_tx_to_delete on retired_tx (retired_at) where deleted_at is null;
create index retired_tx_to_forget on retired_tx (deleted_at) where deleted_at is not null;

-- Asked with every deletion: a transaction of a timer stays as long as its fire.
create index mailbox_entry_of_tx on mailbox_entry (tx_id) where tx_id is not null;

-- By age, so that a look at what is old ends where it is no longer old.
create index nonce_reservation_final on nonce_reservation (final_at) where final_at is not null;
create index tx_event_of_no_tx on tx_event (at) where tx_id is null;
