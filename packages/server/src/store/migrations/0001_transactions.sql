-- Lanes, transactions, their nonces, bytes and history.
--
-- Constraints carry the guarantees: a program that is wrong gets an error here instead of a second nonce.
-- Rows of managed_tx are updated often, so no index may contain or mention a column that changes often (state above all):
-- such an update then stays inside its page (HOT) and touches no index. A transaction changes indexed columns twice in its
-- life: when it takes its nonce (it leaves the queue) and when it is final (it leaves the live ones).

create table signer (
  chain_id bigint not null check (chain_id > 0),
  signer bytea not null check (octet_length(signer) = 20),
  policy jsonb not null,
  label text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (chain_id, signer)
);

-- One row for each registered lane, made with it, so that taking a lease is always an update of a row that can be locked.
-- Nothing but the key may be indexed: a renewal must stay a change of non-key columns, which fenced writes do not wait for.
create table signer_lease (
  chain_id bigint not null,
  signer bytea not null,
  owner_node text,
  fencing_token bigint not null default 0 check (fencing_token >= 0),
  expires_at timestamptz not null default '-infinity',
  -- A node that asked the owner to hand it over.
  wanted_by text,
  -- Here and not with the policy: a write that takes nonces holds this row, so that after a pause none is taken any more.
  paused boolean not null default false,
  primary key (chain_id, signer),
  foreign key (chain_id, signer) references signer,
  check (owner_node is null or fencing_token > 0)
) with (fillfactor = 50);

-- Orders of operators to put a cursor where the chain's count is, with what came of them. Never deleted.
create table nonce_reset (
  reset_id uuid primary key,
  chain_id bigint not null,
  signer bytea not null,
  state text not null default 'REQUESTED' check (state in ('REQUESTED', 'DONE', 'REFUSED')),
  actor text not null,
  reason text not null,
  from_nonce bigint,
  to_nonce bigint,
  refusal text,
  requested_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  answered_at timestamptz,
  foreign key (chain_id, signer) references signer,
  constraint nonce_reset_answer_is_whole check (
    (state = 'REQUESTED') = (answered_at is null)
    and (state = 'DONE') = (to_nonce is not null)
    and (state = 'REFUSED') = (refusal is not null)
  )
);
create index nonce_reset_lane on nonce_reset (chain_id, signer, requested_at);
create index nonce_reset_open on nonce_reset (chain_id, signer) where answered_at is null;

-- The previous_ columns let a plain CHECK say that the cursor never goes back, except by a reset that is on record and
-- that it has not followed before.
create table signer_nonce_cursor (
  chain_id bigint not null,
  signer bytea not null,
  next_nonce bigint check (next_nonce >= 0),
  previous_nonce bigint,
  fencing_token bigint,
  reset_id uuid references nonce_reset,
  previous_reset_id uuid,
  primary key (chain_id, signer),
  foreign key (chain_id, signer) references signer,
  constraint signer_nonce_cursor_never_goes_back check (
    previous_nonce is null
    or (next_nonce is not null and next_nonce >= previous_nonce)
    or (next_nonce is not null and reset_id is not null and reset_id is distinct from previous_reset_id)
  )
) with (fillfactor = 50);

-- What the owner of a lane last saw of the account. Written with what it stores anyway.
create table signer_health (
  chain_id bigint not null,
  signer bytea not null,
  last_confirmation_at timestamptz,
  last_nonce_movement_at timestamptz,
  balance_wei numeric(78, 0),
  balance_at timestamptz,
  primary key (chain_id, signer),
  foreign key (chain_id, signer) references signer,
  check ((balance_wei is null) = (balance_at is null))
) with (fillfactor = 50);

create sequence managed_tx_accepted_seq;

create table managed_tx (
  tx_id uuid primary key,
  chain_id bigint not null,
  signer bytea not null,
  request_id text,
  request_digest bytea not null,
  -- The intent: never changes.
  to_address bytea check (octet_length(to_address) = 20),
  data bytea not null,
  value numeric(78, 0) not null check (value >= 0),
  gas_limit numeric(78, 0),
  fees jsonb,
  speed text not null,
  priority integer not null,
  valid_until timestamptz,
  finality jsonb,
  simulate boolean not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  -- Place in line by acceptance; queue_position is the same number while it stands in the queue.
  accepted_seq bigint not null,
  queue_position bigint,
  -- The life.
  version integer not null default 1 check (version > 0),
  state text not null,
  sub_state text not null,
  error jsonb,
  suspended boolean not null default false,
  retry_at timestamptz,
  prepare_failures integer not null default 0,
  nonce bigint check (nonce >= 0),
  fencing_token bigint,
  node_id text,
  allocated_at timestamptz,
  waiting_since timestamptz,
  submitted_at timestamptz,
  last_submit_at timestamptz,
  submit_count integer,
  refusals integer,
  next_resubmit_at timestamptz,
  new_forks integer,
  -- What an operator or the deadline wants done to it and the lane's owner has not done yet.
  wish text check (wish in ('none', 'speed_up', 'cancel')),
  inclusion jsonb,
  confirmations jsonb,
  mined_at timestamptz,
  stuck_at timestamptz,
  final_at timestamptz,
  -- The latest entry of its history: its number within the transaction, and what makes a repeat equal to it.
  event_seq integer not null,
  event_key text not null,

  constraint managed_tx_state_known check (
    state in ('QUEUED', 'ALLOCATED', 'TRACKING', 'CONFIRMED', 'FAILED_FINAL', 'STUCK', 'CANCELLED', 'EXPIRED')
  ),
  constraint managed_tx_queued_has_place check (
    (state = 'QUEUED') = (queue_position is not null) and (queue_position is null or queue_position = accepted_seq)
  ),
  constraint managed_tx_nonce_by_state check (
    case
      when state in ('QUEUED', 'EXPIRED') then nonce is null
      when state = 'CANCELLED' then true
      else nonce is not null
    end
  ),
  constraint managed_tx_signed_is_whole check (
    case
      when nonce is null then
        num_nonnulls(fencing_token, node_id, allocated_at, waiting_since, submitted_at, last_submit_at, submit_count,
          refusals, next_resubmit_at, new_forks, wish, inclusion, confirmations, mined_at, stuck_at) = 0
      else
        num_nulls(fencing_token, node_id, allocated_at, waiting_since, submit_count, refusals, next_resubmit_at,
          new_forks, wish) = 0
    end
  ),
  constraint managed_tx_final_by_state check (
    (state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED')) = (final_at is not null)
  ),
  constraint managed_tx_final_is_proven check (
    nonce is null or final_at is null or num_nulls(inclusion, confirmations, mined_at) = 0
  ),
  constraint managed_tx_stuck_since check ((state = 'STUCK') = (stuck_at is not null))
) with (fillfactor = 70);

create unique index managed_tx_request on managed_tx (chain_id, signer, request_id) where request_id is not null;
create index managed_tx_lane on managed_tx (chain_id, signer, tx_id);
create index managed_tx_queue on managed_tx (chain_id, signer, priority desc, queue_position)
  where queue_position is not null;
create index managed_tx_expiring on managed_tx (chain_id, signer, valid_until)
  where queue_position is not null and valid_until is not null;
create unique index managed_tx_live_nonce on managed_tx (chain_id, signer, nonce)
  where nonce is not null and final_at is null;

-- The one truth that a nonce is taken once. Its holder is a transaction or, by the digest of its proof, somebody who signs
-- for himself. The previous_ columns let a plain CHECK say who may have it next: it changes hands only from RECYCLABLE;
-- otherwise it stays with its holder or is given up.
create table nonce_allocation (
  chain_id bigint not null,
  signer bytea not null,
  nonce bigint not null check (nonce >= 0),
  status text not null check (status in ('RESERVED', 'USED', 'RECYCLABLE')),
  tx_id uuid,
  lock_owner text,
  locked_until timestamptz,
  previous_status text,
  previous_tx_id uuid,
  previous_lock_owner text,
  -- The index below may not mention status itself: RESERVED to USED happens to every nonce and shall touch no index.
  is_recyclable boolean not null generated always as (status = 'RECYCLABLE') stored,
  primary key (chain_id, signer, nonce),
  constraint nonce_allocation_changes_hands_when_recyclable check (
    previous_status is null
    or previous_status = 'RECYCLABLE'
    or (tx_id is null and lock_owner is null)
    or (tx_id is not distinct from previous_tx_id and lock_owner is not distinct from previous_lock_owner)
  ),
  constraint nonce_allocation_has_one_holder check (tx_id is null or lock_owner is null)
) with (fillfactor = 50);

create index nonce_allocation_recyclable on nonce_allocation (chain_id, signer, nonce) where is_recyclable;

-- Nonces asked for, or lent to, callers that sign themselves. lock_owner is a digest of what the holder must show.
create table nonce_reservation (
  reservation_id uuid primary key,
  chain_id bigint not null,
  signer bytea not null,
  -- Several may be asked for at once; ordinal tells those of one request apart.
  request_id text,
  ordinal integer not null default 0,
  label text,
  ttl_ms bigint not null check (ttl_ms > 0),
  lock_owner text not null,
  version integer not null default 1 check (version > 0),
  state text not null check (state in ('REQUESTED', 'RESERVED', 'USED', 'RELEASED', 'EXPIRED')),
  nonce bigint check (nonce >= 0),
  fencing_token bigint,
  locked_until timestamptz not null,
  hashes bytea[] not null default '{}',
  inclusion jsonb,
  result text check (result in ('succeeded', 'reverted', 'foreign')),
  created_at timestamptz not null,
  reserved_at timestamptz,
  used_at timestamptz,
  mined_at timestamptz,
  final_at timestamptz,
  foreign key (chain_id, signer) references signer,
  constraint nonce_reservation_nonce_by_state check (
    case
      when state = 'REQUESTED' then nonce is null
      when state in ('RESERVED', 'USED') then nonce is not null
      else true
    end
  ),
  constraint nonce_reservation_lent_is_whole check (
    num_nulls(nonce, fencing_token, reserved_at) in (0, 3)
  ),
  constraint nonce_reservation_result_by_state check (
    (result is not null) = (state = 'USED' and final_at is not null)
  )
) with (fillfactor = 70);

create unique index nonce_reservation_request on nonce_reservation (chain_id, signer, request_id, ordinal)
  where request_id is not null;
create index nonce_reservation_open on nonce_reservation (chain_id, signer, created_at, ordinal) where final_at is null;
create unique index nonce_reservation_live_nonce on nonce_reservation (chain_id, signer, nonce)
  where nonce is not null and final_at is null;

create table tx_attempt (
  hash bytea primary key check (octet_length(hash) = 32),
  tx_id uuid not null,
  ordinal integer not null,
  raw bytea not null,
  kind text not null,
  nonce bigint not null,
  gas_limit numeric(78, 0) not null,
  fees jsonb not null,
  created_at timestamptz not null,
  unique (tx_id, ordinal)
);

-- Numbers of the stream are given out under this row's lock, which is held until commit: their order is commit order.
create table event_head (
  single boolean primary key default true check (single),
  last_id bigint not null
) with (fillfactor = 10);
insert into event_head (last_id) values (0);

create table tx_event (
  event_id bigint primary key,
  tx_id uuid,
  tx_seq integer,
  chain_id bigint not null,
  signer bytea not null,
  type text not null,
  cause text,
  from_state text,
  to_state text,
  sub_state text,
  node_id text,
  fencing_token bigint,
  detail jsonb not null,
  at timestamptz not null,
  count integer not null default 1 check (count > 0),
  last_at timestamptz not null,
  unique (tx_id, tx_seq)
) with (fillfactor = 90);
create index tx_event_completion on tx_event (event_id)
  where to_state in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED');

create table chain_block (
  chain_id bigint not null,
  number bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  parent_hash bytea not null check (octet_length(parent_hash) = 32),
  timestamp bigint not null,
  primary key (chain_id, number)
);

create table node (
  node_id text primary key,
  address text,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  ttl_ms integer not null check (ttl_ms > 0)
) with (fillfactor = 50);
