-- Timers. The kernel's state is a snapshot and what was given to it since: blocks and commands, in order. `timer` shows
-- how each timer stands, for people; `mailbox_entry` is what fired and what became of it.

-- Which node runs the timers of a chain. Every write of that node locks its row FOR KEY SHARE; a takeover locks it FOR UPDATE.
create table timer_lease (
  chain_id bigint primary key check (chain_id > 0),
  owner_node text,
  fencing_token bigint not null default 0 check (fencing_token >= 0),
  expires_at timestamptz not null default '-infinity'
) with (fillfactor = 50);

-- How far the kernel has come.
create table timer_chain (
  chain_id bigint primary key references timer_lease,
  height bigint not null check (height >= 0),
  block_hash bytea not null check (octet_length(block_hash) = 32),
  state_root bytea not null check (octet_length(state_root) = 32),
  command_seq bigint not null default 0 check (command_seq >= 0),
  -- Null: the log goes back to the beginning.
  snapshot_height bigint,
  snapshot_block jsonb,
  snapshot_params jsonb,
  check (num_nulls(snapshot_height, snapshot_block, snapshot_params) in (0, 3))
) with (fillfactor = 50);

create table timer_snapshot_chunk (
  chain_id bigint not null references timer_chain,
  height bigint not null,
  n integer not null check (n >= 0),
  bytes bytea not null,
  primary key (chain_id, height, n)
);

-- Blocks above the snapshot.
create table timer_block (
  chain_id bigint not null references timer_chain,
  height bigint not null check (height >= 0),
  block_hash bytea not null check (octet_length(block_hash) = 32),
  state_root bytea not null check (octet_length(state_root) = 32),
  parent_state_root bytea not null check (octet_length(parent_state_root) = 32),
  keys bytea[] not null,
  primary key (chain_id, height)
);

-- What is asked of the node that runs the timers. The row is the answer. Accepted ones have a place in the log.
create table timer_command (
  command_id uuid primary key,
  place bigint not null generated always as identity,
  chain_id bigint not null references timer_lease,
  body jsonb not null,
  tenant text not null,
  -- Cleared when it is refused: the same request may come again.
  request_id text,
  request_digest bytea check (octet_length(request_digest) = 32),
  answer jsonb,
  seq bigint check (seq > 0),
  height bigint,
  created_at timestamptz not null default clock_timestamp(),
  answered_at timestamptz,
  unique (chain_id, seq),
  check ((answer is null) = (answered_at is null)),
  check ((seq is null) = (height is null)),
  check (seq is null or answer is not null)
) with (fillfactor = 70);

create unique index timer_command_request on timer_command (request_id, tenant, chain_id) where request_id is not null;
create index timer_command_pending on timer_command (chain_id, place) where answer is null;
create index timer_command_unlogged on timer_command (chain_id, answered_at) where answer is not null and seq is null;
create index timer_command_settled on timer_command (chain_id, answered_at) where answer is not null;

create table timer (
  timer_id uuid primary key,
  place bigint not null generated always as identity,
  chain_id bigint not null,
  signer bytea not null,
  target bytea not null check (octet_length(target) = 20),
  -- What the kernel calls it now.
  kernel_id bytea not null unique check (octet_length(kernel_id) = 32),
  tenant text not null,
  name text,
  request_id text,
  request_digest bytea not null check (octet_length(request_digest) = 32),
  spec jsonb not null,
  metadata jsonb not null,
  state text not null check (state in ('ACTIVE', 'PAUSED', 'CANCELLED', 'DONE', 'EVICTED', 'RETIRED')),
  end_reason text,
  due_height bigint,
  -- Fires before it was last resumed, and with those since.
  base_fires bigint not null default 0,
  fire_count bigint not null default 0,
  created_height bigint not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  created_by text not null,
  foreign key (chain_id, signer) references signer (chain_id, signer)
) with (fillfactor = 70);

create index timer_list on timer (chain_id, place);
create index timer_of_signer on timer (chain_id, signer, place);
create index timer_request on timer (request_id, tenant, chain_id) where request_id is not null;
create index timer_live on timer (chain_id, tenant) where state in ('ACTIVE', 'PAUSED');

-- What the kernel knew a timer as, and what was true of it for all that time.
create table timer_incarnation (
  kernel_id bytea primary key check (octet_length(kernel_id) = 32),
  timer_id uuid not null references timer,
  spec jsonb not null
);

create table mailbox_entry (
  deliver_id bytea primary key check (octet_length(deliver_id) = 32),
  chain_id bigint not null,
  fire_key bytea not null check (octet_length(fire_key) = 32),
  timer_id uuid not null references timer,
  kernel_id bytea not null,
  fire_seq bigint not null check (fire_seq >= 0),
  height bigint not null,
  block_hash bytea not null check (octet_length(block_hash) = 32),
  position integer not null check (position >= 0),
  signer bytea not null,
  target bytea not null,
  data bytea not null,
  gas_limit numeric(78) not null,
  bid numeric(78) not null,
  trigger jsonb not null,
  digest bytea not null check (octet_length(digest) = 32),
  state text not null check (state in ('OBSERVED', 'QUEUED', 'SKIPPED')),
  skip_reason text,
  condition jsonb,
  orphaned boolean not null default false,
  aliases bytea[] not null default '{}',
  tx_id uuid references managed_tx,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- One fire is at most one transaction, on whatever branch of the chain.
  unique (chain_id, fire_key),
  check ((state = 'QUEUED') = (tx_id is not null)),
  check ((state = 'SKIPPED') = (skip_reason is not null)),
  check (not orphaned or state = 'QUEUED')
) with (fillfactor = 70);

create index mailbox_entry_of_timer on mailbox_entry (timer_id, height, position);
create index mailbox_entry_by_height on mailbox_entry (chain_id, height);
create index mailbox_entry_observed on mailbox_entry (chain_id, height, position) where state = 'OBSERVED';
create index mailbox_entry_skipped on mailbox_entry (chain_id, height) where state = 'SKIPPED';
