-- Private keys of signers, each encrypted under a master key that is not in the database, and bound to its address.
create table signer_key (
  address bytea primary key check (octet_length(address) = 20),
  key_id text not null check (key_id <> ''),
  sealed bytea not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);

-- A signer that was removed takes no more transactions. Its history stays.
alter table signer add column removed_at timestamptz;

-- When a lane last signed something.
alter table signer_health add column last_signed_at timestamptz;
