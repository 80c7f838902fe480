-- Who may call, and who did what.

-- A key is never deleted, only revoked: the audit names it, and a service that ever had a key must not become open again.
-- What is kept of the secret is its SHA-256. A slow password hash would add nothing: the secret is 256 random bits, so
-- there is no dictionary to try, and a slow hash on every request would be a way to overload the service.
create table api_key (
  key_id text primary key check (key_id ~ '^[0-9a-f]{16}$'),
  name text not null,
  secret_digest bytea not null check (octet_length(secret_digest) = 32),
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'send', 'operate', 'admin']),
  -- Null: all of them.
  signers bytea[] check (cardinality(signers) > 0),
  chains bigint[] check (cardinality(chains) > 0),
  rate_per_second integer check (rate_per_second > 0),
  rate_burst integer check (rate_burst > 0),
  expires_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  created_by text not null,
  -- Coarse: written now and then for many at once.
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  check ((rate_per_second is null) = (rate_burst is null)),
  check ((revoked_at is null) = (revoked_by is null))
) with (fillfactor = 70);

-- Only ever added to. Never holds what a request carried, only what it was about.
create table audit_entry (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  key_id text,
  actor text not null,
  node_id text,
  operation text not null,
  target text not null,
  -- 'done', or the code of the error that it was refused with.
  result text not null
);
