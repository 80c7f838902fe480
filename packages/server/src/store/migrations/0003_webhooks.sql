-- Who wants to be told of events, and what came of telling them.

-- The lease is part of the row. Whatever the node that delivers writes, it locks the rows of its webhooks first, in the
-- order of the key, and looks at the lease under that lock; a takeover locks them too.
create table webhook (
  webhook_id uuid primary key,
  url text not null,
  description text,
  -- Null: all of them.
  types text[] check (cardinality(types) > 0),
  chain_id bigint check (chain_id > 0),
  signer bytea check (octet_length(signer) = 20),
  completions boolean not null,
  -- Signs what is sent, and so cannot be a digest. Read by the node that delivers, and by nothing else.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'DISABLED')),
  disabled_reason text check (disabled_reason in ('operator', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Since when nothing has been delivered although it was tried.
  failing_since timestamptz,
  -- Events up to this one have their deliveries.
  planned_to bigint not null check (planned_to >= 0),
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  created_by text not null,
  owner_node text,
  fencing_token bigint not null default 0 check (fencing_token >= 0),
  expires_at timestamptz not null default '-infinity',
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((state = 'DISABLED') = (disabled_reason is not null)),
  check ((state = 'DISABLED') = (disabled_at is not null))
) with (fillfactor = 50);

-- Deliveries of one order (a transaction, or a lane for what is said of the lane) go out one after the other: only the
-- first that is pending has a time at which it is due, and when it is settled the next one gets its own. So the index of
-- what is due holds what can be sent, however much waits behind it.
create table webhook_delivery (
  delivery_id uuid primary key,
  place bigint not null generated always as identity,
  webhook_id uuid not null references webhook on delete cascade,
  -- Null for a test, which has a body of its own instead.
  event_id bigint,
  body text,
  event_type text not null,
  tx_id uuid,
  order_key text not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  due_at timestamptz,
  attempts integer not null default 0 check (attempts >= 0),
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  last_status integer,
  last_error text,
  last_response text,
  last_duration_ms integer,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  settled_at timestamptz,
  unique (webhook_id, event_id),
  check ((event_id is null) = (body is not null)),
  check ((state = 'PENDING') = (settled_at is null)),
  check (due_at is null or state = 'PENDING')
) with (fillfactor = 70);

create index webhook_delivery_log on webhook_delivery (webhook_id, place);
create index webhook_delivery_due on webhook_delivery (webhook_id, due_at) where due_at is not null;
create index webhook_delivery_pending on webhook_delivery (webhook_id, order_key, event_id) where state = 'PENDING';
create index webhook_delivery_settled on webhook_delivery (settled_at) where settled_at is not null;
