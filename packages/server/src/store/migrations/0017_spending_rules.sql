-- Spending rules of signers and API keys, and their books. One row for each subject: whoever writes to the books locks
-- it, so that two nodes never decide on the same state. The ledger has a bounded number of steps for each measure.
create table spending_account (
  subject text primary key check (subject ~ '^(signer:0x[0-9a-f]{40}|key:[0-9a-f]{16})$'),
  rules jsonb not null,
  ledger jsonb not null default '{}',
  version int not null default 1,
  updated_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  updated_by text not null
);

-- What a transaction is counted with until its end is known. Only transactions that rules bind have any.
create table spending_charge (
  tx_id uuid not null,
  subject text not null references spending_account on delete cascade,
  chain_id bigint not null,
  charged_at timestamptz not null,
  amounts jsonb not null,
  primary key (tx_id, subject)
);
create index spending_charge_subject on spending_charge (subject, charged_at);

-- The key that sent a transaction, and who has to approve it. `approve_by` is set only while it waits for that, so no
-- other transaction ever changes what its index holds.
alter table managed_tx
  add column key_id text,
  add column approval jsonb,
  add column approve_by timestamptz;
create index managed_tx_unapproved on managed_tx (chain_id, signer, approve_by) where approve_by is not null;

-- The right to approve.
alter table api_key drop constraint api_key_scopes_check;
alter table api_key add constraint api_key_scopes_check check (
  cardinality(scopes) > 0 and scopes <@ array['read', 'send', 'operate', 'admin', 'priority', 'approve']
);
