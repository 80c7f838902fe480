-- History that counts what repeats, lists in the order of acceptance, and the chain's own counts with each lane.

-- Entries of its history from this one on may be counted again instead of repeated: those since the last news.
alter table managed_tx add column event_open_from integer not null default 2;
update managed_tx set event_open_from = event_seq + 1 where final_at is null;
alter table managed_tx alter column event_open_from drop default;
alter table managed_tx drop column event_key;

-- Lists go by acceptance: all of them, those of a lane, those to one address, and those of a time.
create unique index managed_tx_accepted on managed_tx (accepted_seq);
drop index managed_tx_lane;
create index managed_tx_lane on managed_tx (chain_id, signer, accepted_seq);
create index managed_tx_to on managed_tx (to_address, accepted_seq) where to_address is not null;
create index managed_tx_created on managed_tx (created_at);
-- By bytes, so that a prefix is a range in any language.
create index managed_tx_request_prefix on managed_tx (request_id text_pattern_ops) where request_id is not null;
create index managed_tx_metadata on managed_tx using gin (metadata jsonb_path_ops) where metadata <> '{}';

-- What the owner of a lane last saw of the account's counts on the chain, and how far the cursor is from where they say it
-- should be: below zero where the chain is past the cursor, above where nonces that nobody holds lie under it.
alter table signer_health
  add column chain_latest bigint,
  add column chain_pending bigint,
  add column chain_at timestamptz,
  add column chain_drift bigint,
  add constraint signer_health_chain_is_whole check (
    num_nulls(chain_latest, chain_pending, chain_at, chain_drift) in (0, 4)
  );
