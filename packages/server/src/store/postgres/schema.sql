-- Made from a migrated database by schema.real.test.ts; do not edit.

create sequence managed_tx_accepted_seq;

create sequence timer_command_place_seq;

create sequence timer_place_seq;

create sequence webhook_delivery_place_seq;

create table api_key (
  key_id text not null,
  name text not null,
  secret_digest bytea not null,
  scopes text[] not null,
  signers bytea[],
  chains bigint[],
  rate_per_second integer,
  rate_burst integer,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  created_by text not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  max_tx_fee numeric(78,0),
  tenant text not null,
  constraint api_key_chains_check CHECK ((cardinality(chains) > 0)),
  constraint api_key_check CHECK (((rate_per_second IS NULL) = (rate_burst IS NULL))),
  constraint api_key_check1 CHECK (((revoked_at IS NULL) = (revoked_by IS NULL))),
  constraint api_key_key_id_check CHECK ((key_id ~ '^[0-9a-f]{16}$'::text)),
  constraint api_key_max_tx_fee_check CHECK ((max_tx_fee > (0)::numeric)),
  constraint api_key_pkey PRIMARY KEY (key_id),
  constraint api_key_rate_burst_check CHECK ((rate_burst > 0)),
  constraint api_key_rate_per_second_check CHECK ((rate_per_second > 0)),
  constraint api_key_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'send'::text, 'operate'::text, 'admin'::text, 'priority'::text, 'approve'::text]))),
  constraint api_key_secret_digest_check CHECK ((octet_length(secret_digest) = 32)),
  constraint api_key_signers_check CHECK ((cardinality(signers) > 0)),
  constraint api_key_tenant_check CHECK ((tenant <> ''::text))
) with (fillfactor=70);

create table archive_mark (
  kind text not null,
  up_to bigint not null default 0,
  archived_at timestamp with time zone,
  constraint archive_mark_kind_check CHECK ((kind = ANY (ARRAY['transactions'::text, 'events'::text, 'audit'::text]))),
  constraint archive_mark_pkey PRIMARY KEY (kind),
  constraint archive_mark_up_to_check CHECK ((up_to >= 0))
);

create table audit_entry (
  audit_id bigint not null,
  at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  key_id text,
  actor text not null,
  node_id text,
  operation text not null,
  target text not null,
  result text not null,
  hash bytea not null,
  constraint audit_entry_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_entry_pkey PRIMARY KEY (audit_id)
);

create table audit_head (
  single boolean not null default true,
  last_id bigint not null,
  last_hash bytea not null,
  deleted_id bigint not null default 0,
  deleted_hash bytea not null default decode(repeat('00'::text, 32), 'hex'::text),
  constraint audit_head_deleted_hash_check CHECK ((octet_length(deleted_hash) = 32)),
  constraint audit_head_last_hash_check CHECK ((octet_length(last_hash) = 32)),
  constraint audit_head_pkey PRIMARY KEY (single),
  constraint audit_head_single_check CHECK (single)
) with (fillfactor=10);

create table chain_block (
  chain_id bigint not null,
  number bigint not null,
  hash bytea not null,
  parent_hash bytea not null,
  timestamp bigint not null,
  constraint chain_block_hash_check CHECK ((octet_length(hash) = 32)),
  constraint chain_block_parent_hash_check CHECK ((octet_length(parent_hash) = 32)),
  constraint chain_block_pkey PRIMARY KEY (chain_id, number)
);

create table event_head (
  single boolean not null default true,
  last_id bigint not null,
  constraint event_head_pkey PRIMARY KEY (single),
  constraint event_head_single_check CHECK (single)
) with (fillfactor=10);

create table mailbox_entry (
  deliver_id bytea not null,
  chain_id bigint not null,
  fire_key bytea not null,
  timer_id uuid not null,
  kernel_id bytea not null,
  fire_seq bigint not null,
  height bigint not null,
  block_hash bytea not null,
  position integer not null,
  signer bytea not null,
  target bytea not null,
  data bytea not null,
  gas_limit numeric(78,0) not null,
  bid numeric(78,0) not null,
  trigger jsonb not null,
  digest bytea not null,
  state text not null,
  skip_reason text,
  condition jsonb,
  orphaned boolean not null default false,
  aliases bytea[] not null default '{}'::bytea[],
  tx_id uuid,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  withdrawn boolean not null default false,
  metered boolean not null default false,
  constraint mailbox_entry_block_hash_check CHECK ((octet_length(block_hash) = 32)),
  constraint mailbox_entry_chain_id_fire_key_key UNIQUE (chain_id, fire_key),
  constraint mailbox_entry_check CHECK (((state = 'QUEUED'::text) = (tx_id IS NOT NULL))),
  constraint mailbox_entry_check1 CHECK (((state = 'SKIPPED'::text) = (skip_reason IS NOT NULL))),
  constraint mailbox_entry_check2 CHECK (((NOT orphaned) OR (state = 'QUEUED'::text))),
  constraint mailbox_entry_check3 CHECK ((orphaned OR (NOT withdrawn))),
  constraint mailbox_entry_deliver_id_check CHECK ((octet_length(deliver_id) = 32)),
  constraint mailbox_entry_digest_check CHECK ((octet_length(digest) = 32)),
  constraint mailbox_entry_fire_key_check CHECK ((octet_length(fire_key) = 32)),
  constraint mailbox_entry_fire_seq_check CHECK ((fire_seq >= 0)),
  constraint mailbox_entry_pkey PRIMARY KEY (deliver_id),
  constraint mailbox_entry_position_check CHECK (("position" >= 0)),
  constraint mailbox_entry_state_check CHECK ((state = ANY (ARRAY['OBSERVED'::text, 'QUEUED'::text, 'SKIPPED'::text]))),
  constraint mailbox_entry_timer_id_fkey FOREIGN KEY (timer_id) REFERENCES timer(timer_id),
  constraint mailbox_entry_tx_id_fkey FOREIGN KEY (tx_id) REFERENCES managed_tx(tx_id)
) with (fillfactor=70);

CREATE INDEX mailbox_entry_by_height ON public.mailbox_entry USING btree (chain_id, height);

CREATE INDEX mailbox_entry_observed ON public.mailbox_entry USING btree (chain_id, height, "position") WHERE (state = 'OBSERVED'::text);

CREATE INDEX mailbox_entry_of_timer ON public.mailbox_entry USING btree (timer_id, height, "position");

CREATE INDEX mailbox_entry_of_tx ON public.mailbox_entry USING btree (tx_id) WHERE (tx_id IS NOT NULL);

CREATE INDEX mailbox_entry_skipped ON public.mailbox_entry USING btree (chain_id, height) WHERE (state = 'SKIPPED'::text);

CREATE INDEX mailbox_entry_unfunded ON public.mailbox_entry USING btree (chain_id) WHERE ((skip_reason = 'low_funds'::text) AND (NOT metered));

CREATE INDEX mailbox_entry_unmetered ON public.mailbox_entry USING btree (chain_id, height, "position") WHERE ((state = 'QUEUED'::text) AND (NOT metered));

CREATE INDEX mailbox_entry_unmetered_of_timer ON public.mailbox_entry USING btree (timer_id) WHERE ((state = 'QUEUED'::text) AND (NOT metered));

CREATE INDEX mailbox_entry_withdrawn ON public.mailbox_entry USING btree (chain_id) WHERE withdrawn;

create table managed_tx (
  tx_id uuid not null,
  chain_id bigint not null,
  signer bytea not null,
  request_id text,
  request_digest bytea not null,
  to_address bytea,
  data bytea not null,
  value numeric(78,0) not null,
  gas_limit numeric(78,0),
  fees jsonb,
  speed text not null,
  priority integer not null,
  valid_until timestamp with time zone,
  finality jsonb,
  simulate boolean not null,
  metadata jsonb not null,
  created_at timestamp with time zone not null,
  accepted_seq bigint not null,
  queue_position bigint,
  version integer not null default 1,
  state text not null,
  sub_state text not null,
  error jsonb,
  suspended boolean not null default false,
  retry_at timestamp with time zone,
  prepare_failures integer not null default 0,
  nonce bigint,
  fencing_token bigint,
  node_id text,
  allocated_at timestamp with time zone,
  waiting_since timestamp with time zone,
  submitted_at timestamp with time zone,
  last_submit_at timestamp with time zone,
  submit_count integer,
  refusals integer,
  next_resubmit_at timestamp with time zone,
  new_forks integer,
  wish text,
  inclusion jsonb,
  confirmations jsonb,
  mined_at timestamp with time zone,
  stuck_at timestamp with time zone,
  final_at timestamp with time zone,
  event_seq integer not null,
  may_be_held boolean,
  refusal jsonb,
  max_fee numeric(78,0),
  simulated boolean not null default false,
  tenant text not null default ''::text,
  access_list jsonb,
  exact_nonce bigint,
  event_open_from integer not null,
  key_id text,
  approval jsonb,
  approve_by timestamp with time zone,
  not_before_height bigint,
  not_before_time timestamp with time zone,
  failed_as text,
  constraint managed_tx_check CHECK ((num_nonnulls(not_before_height, not_before_time) < 2)),
  constraint managed_tx_exact_nonce_check CHECK ((exact_nonce >= 0)),
  constraint managed_tx_final_by_state CHECK (((state = ANY (ARRAY['CONFIRMED'::text, 'FAILED_FINAL'::text, 'CANCELLED'::text, 'EXPIRED'::text])) = (final_at IS NOT NULL))),
  constraint managed_tx_final_has_no_refusal CHECK (((final_at IS NULL) OR (refusal IS NULL))),
  constraint managed_tx_final_is_proven CHECK (((nonce IS NULL) OR (final_at IS NULL) OR (num_nulls(inclusion, confirmations, mined_at) = 0))),
  constraint managed_tx_max_fee_check CHECK ((max_fee > (0)::numeric)),
  constraint managed_tx_nonce_by_state CHECK ( CASE WHEN (state = ANY (ARRAY['QUEUED'::text, 'EXPIRED'::text])) THEN (nonce IS NULL) WHEN (state = 'CANCELLED'::text) THEN true ELSE (nonce IS NOT NULL) END),
  constraint managed_tx_nonce_check CHECK ((nonce >= 0)),
  constraint managed_tx_not_before_height_check CHECK ((not_before_height >= 0)),
  constraint managed_tx_pkey PRIMARY KEY (tx_id),
  constraint managed_tx_queued_has_place CHECK ((((state = 'QUEUED'::text) = (queue_position IS NOT NULL)) AND ((queue_position IS NULL) OR (queue_position = accepted_seq)))),
  constraint managed_tx_signed_is_whole CHECK ( CASE WHEN (nonce IS NULL) THEN (num_nonnulls(fencing_token, node_id, allocated_at, waiting_since, submitted_at, last_submit_at, submit_count, refusals, next_resubmit_at, new_forks, wish, may_be_held, refusal, inclusion, confirmations, mined_at, stuck_at) = 0) ELSE (num_nulls(fencing_token, node_id, allocated_at, waiting_since, submit_count, refusals, next_resubmit_at, new_forks, wish, may_be_held) = 0) END),
  constraint managed_tx_state_known CHECK ((state = ANY (ARRAY['QUEUED'::text, 'ALLOCATED'::text, 'TRACKING'::text, 'CONFIRMED'::text, 'FAILED_FINAL'::text, 'STUCK'::text, 'CANCELLED'::text, 'EXPIRED'::text]))),
  constraint managed_tx_stuck_since CHECK (((state = 'STUCK'::text) = (stuck_at IS NOT NULL))),
  constraint managed_tx_to_address_check CHECK ((octet_length(to_address) = 20)),
  constraint managed_tx_value_check CHECK ((value >= (0)::numeric)),
  constraint managed_tx_version_check CHECK ((version > 0)),
  constraint managed_tx_wish_check CHECK ((wish = ANY (ARRAY['none'::text, 'speed_up'::text, 'cancel'::text])))
) with (fillfactor=50);

CREATE INDEX managed_tx_created ON public.managed_tx USING btree (created_at);

CREATE INDEX managed_tx_expiring ON public.managed_tx USING btree (chain_id, signer, valid_until) WHERE ((queue_position IS NOT NULL) AND (valid_until IS NOT NULL));

CREATE INDEX managed_tx_failed_as ON public.managed_tx USING btree (failed_as, accepted_seq) WHERE (failed_as IS NOT NULL);

CREATE INDEX managed_tx_lane ON public.managed_tx USING btree (chain_id, signer, accepted_seq);

CREATE INDEX managed_tx_metadata ON public.managed_tx USING gin (metadata jsonb_path_ops) WHERE (metadata <> '{}'::jsonb);

CREATE INDEX managed_tx_queue ON public.managed_tx USING btree (chain_id, signer, priority DESC, queue_position) INCLUDE (tenant) WHERE (queue_position IS NOT NULL);

CREATE INDEX managed_tx_scheduled ON public.managed_tx USING btree (chain_id, signer) WHERE ((queue_position IS NOT NULL) AND ((not_before_height IS NOT NULL) OR (not_before_time IS NOT NULL)));

CREATE INDEX managed_tx_to ON public.managed_tx USING btree (to_address, accepted_seq) WHERE (to_address IS NOT NULL);

CREATE INDEX managed_tx_unapproved ON public.managed_tx USING btree (chain_id, signer, approve_by) WHERE (approve_by IS NOT NULL);

CREATE UNIQUE INDEX managed_tx_accepted ON public.managed_tx USING btree (accepted_seq);

CREATE UNIQUE INDEX managed_tx_live_nonce ON public.managed_tx USING btree (chain_id, signer, nonce) WHERE ((nonce IS NOT NULL) AND (final_at IS NULL));

CREATE UNIQUE INDEX managed_tx_request ON public.managed_tx USING btree (request_id text_pattern_ops, signer, tenant, chain_id) WHERE (request_id IS NOT NULL);

create table node (
  node_id text not null,
  address text,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  ttl_ms integer not null,
  chains bigint[],
  constraint node_pkey PRIMARY KEY (node_id),
  constraint node_ttl_ms_check CHECK ((ttl_ms > 0))
) with (fillfactor=50);

create table nonce_allocation (
  chain_id bigint not null,
  signer bytea not null,
  nonce bigint not null,
  status text not null,
  tx_id uuid,
  lock_owner text,
  locked_until timestamp with time zone,
  previous_status text,
  previous_tx_id uuid,
  previous_lock_owner text,
  is_recyclable boolean not null generated always as ((status = 'RECYCLABLE'::text)) stored,
  constraint nonce_allocation_changes_hands_when_recyclable CHECK (((previous_status IS NULL) OR (previous_status = 'RECYCLABLE'::text) OR ((previous_status = 'RESERVED'::text) AND (previous_tx_id IS NULL) AND (previous_lock_owner IS NULL)) OR ((tx_id IS NULL) AND (lock_owner IS NULL)) OR ((NOT (tx_id IS DISTINCT FROM previous_tx_id)) AND (NOT (lock_owner IS DISTINCT FROM previous_lock_owner))))),
  constraint nonce_allocation_has_one_holder CHECK (((tx_id IS NULL) OR (lock_owner IS NULL))),
  constraint nonce_allocation_nonce_check CHECK ((nonce >= 0)),
  constraint nonce_allocation_pkey PRIMARY KEY (chain_id, signer, nonce),
  constraint nonce_allocation_status_check CHECK ((status = ANY (ARRAY['RESERVED'::text, 'USED'::text, 'RECYCLABLE'::text])))
) with (fillfactor=50);

CREATE INDEX nonce_allocation_recyclable ON public.nonce_allocation USING btree (chain_id, signer, nonce) WHERE is_recyclable;

create table nonce_reservation (
  reservation_id uuid not null,
  chain_id bigint not null,
  signer bytea not null,
  request_id text,
  ordinal integer not null default 0,
  label text,
  ttl_ms bigint not null,
  lock_owner text not null,
  version integer not null default 1,
  state text not null,
  nonce bigint,
  fencing_token bigint,
  locked_until timestamp with time zone not null,
  hashes bytea[] not null default '{}'::bytea[],
  inclusion jsonb,
  result text,
  created_at timestamp with time zone not null,
  reserved_at timestamp with time zone,
  used_at timestamp with time zone,
  mined_at timestamp with time zone,
  final_at timestamp with time zone,
  tenant text not null default ''::text,
  key_id text,
  holder text,
  alarm text,
  alarm_at timestamp with time zone,
  fill_ordered_at timestamp with time zone,
  yielded_at timestamp with time zone,
  constraint nonce_reservation_alarm_check CHECK ((alarm = ANY (ARRAY['unknown_hash'::text, 'not_mined'::text, 'not_used'::text]))),
  constraint nonce_reservation_alarm_is_whole CHECK (((alarm IS NULL) = (alarm_at IS NULL))),
  constraint nonce_reservation_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint nonce_reservation_lent_is_whole CHECK ((num_nulls(nonce, fencing_token, reserved_at) = ANY (ARRAY[0, 3]))),
  constraint nonce_reservation_nonce_by_state CHECK ( CASE WHEN (state = 'REQUESTED'::text) THEN (nonce IS NULL) WHEN (state = ANY (ARRAY['RESERVED'::text, 'USED'::text])) THEN (nonce IS NOT NULL) ELSE true END),
  constraint nonce_reservation_nonce_check CHECK ((nonce >= 0)),
  constraint nonce_reservation_pkey PRIMARY KEY (reservation_id),
  constraint nonce_reservation_result_by_state CHECK (((result IS NOT NULL) = ((state = 'USED'::text) AND (final_at IS NOT NULL)))),
  constraint nonce_reservation_result_check CHECK ((result = ANY (ARRAY['succeeded'::text, 'reverted'::text, 'foreign'::text]))),
  constraint nonce_reservation_state_check CHECK ((state = ANY (ARRAY['REQUESTED'::text, 'RESERVED'::text, 'USED'::text, 'RELEASED'::text, 'EXPIRED'::text]))),
  constraint nonce_reservation_ttl_ms_check CHECK ((ttl_ms > 0)),
  constraint nonce_reservation_version_check CHECK ((version > 0)),
  constraint nonce_reservation_yielded_on_order CHECK (((yielded_at IS NULL) OR ((fill_ordered_at IS NOT NULL) AND (nonce IS NOT NULL))))
) with (fillfactor=70);

CREATE INDEX nonce_reservation_final ON public.nonce_reservation USING btree (final_at) WHERE (final_at IS NOT NULL);

CREATE INDEX nonce_reservation_open ON public.nonce_reservation USING btree (chain_id, signer, created_at, ordinal) WHERE (final_at IS NULL);

CREATE UNIQUE INDEX nonce_reservation_live_nonce ON public.nonce_reservation USING btree (chain_id, signer, nonce) WHERE ((nonce IS NOT NULL) AND (final_at IS NULL));

CREATE UNIQUE INDEX nonce_reservation_request ON public.nonce_reservation USING btree (chain_id, signer, request_id, tenant, ordinal) WHERE (request_id IS NOT NULL);

create table nonce_reset (
  reset_id uuid not null,
  chain_id bigint not null,
  signer bytea not null,
  state text not null default 'REQUESTED'::text,
  actor text not null,
  reason text not null,
  from_nonce bigint,
  to_nonce bigint,
  refusal text,
  requested_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  answered_at timestamp with time zone,
  cancels_first boolean not null default false,
  tx_ids uuid[],
  constraint nonce_reset_answer_is_whole CHECK ((((state = ANY (ARRAY['REQUESTED'::text, 'CANCELLING'::text])) = (answered_at IS NULL)) AND ((state = 'DONE'::text) = (to_nonce IS NOT NULL)) AND ((state = 'REFUSED'::text) = (refusal IS NOT NULL)) AND ((state <> 'CANCELLING'::text) OR (cancels_first AND (tx_ids IS NOT NULL))))),
  constraint nonce_reset_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint nonce_reset_pkey PRIMARY KEY (reset_id),
  constraint nonce_reset_state_check CHECK ((state = ANY (ARRAY['REQUESTED'::text, 'CANCELLING'::text, 'DONE'::text, 'REFUSED'::text])))
);

CREATE INDEX nonce_reset_lane ON public.nonce_reset USING btree (chain_id, signer, requested_at);

CREATE INDEX nonce_reset_open ON public.nonce_reset USING btree (chain_id, signer) WHERE (answered_at IS NULL);

create table retired_tx (
  tx_id uuid not null,
  chain_id bigint not null,
  signer bytea not null,
  tenant text not null,
  request_id text,
  request_digest bytea not null,
  retired_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  deleted_at timestamp with time zone,
  constraint retired_tx_pkey PRIMARY KEY (tx_id),
  constraint retired_tx_request_digest_check CHECK ((octet_length(request_digest) = 32))
);

CREATE INDEX retired_tx_to_delete ON public.retired_tx USING btree (retired_at) WHERE (deleted_at IS NULL);

CREATE INDEX retired_tx_to_forget ON public.retired_tx USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

CREATE UNIQUE INDEX retired_tx_request ON public.retired_tx USING btree (request_id text_pattern_ops, signer, tenant, chain_id) WHERE (request_id IS NOT NULL);

create table schema_migration (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  constraint schema_migration_pkey PRIMARY KEY (version)
);

create table signer (
  chain_id bigint not null,
  signer bytea not null,
  policy jsonb not null,
  label text,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  removed_at timestamp with time zone,
  constraint signer_chain_id_check CHECK ((chain_id > 0)),
  constraint signer_pkey PRIMARY KEY (chain_id, signer),
  constraint signer_signer_check CHECK ((octet_length(signer) = 20))
);

create table signer_health (
  chain_id bigint not null,
  signer bytea not null,
  last_confirmation_at timestamp with time zone,
  last_nonce_movement_at timestamp with time zone,
  balance_wei numeric(78,0),
  balance_at timestamp with time zone,
  send_window jsonb,
  chain_latest bigint,
  chain_pending bigint,
  chain_at timestamp with time zone,
  chain_drift bigint,
  tx_cost_wei numeric(78,0),
  tx_cost_samples integer,
  problems jsonb not null default '[]'::jsonb,
  last_signed_at timestamp with time zone,
  constraint signer_health_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint signer_health_chain_is_whole CHECK ((num_nulls(chain_latest, chain_pending, chain_at, chain_drift) = ANY (ARRAY[0, 4]))),
  constraint signer_health_check CHECK (((balance_wei IS NULL) = (balance_at IS NULL))),
  constraint signer_health_pkey PRIMARY KEY (chain_id, signer),
  constraint signer_health_tx_cost CHECK (((tx_cost_wei IS NULL) = (tx_cost_samples IS NULL)))
) with (fillfactor=50);

create table signer_key (
  address bytea not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  constraint signer_key_address_check CHECK ((octet_length(address) = 20)),
  constraint signer_key_key_id_check CHECK ((key_id <> ''::text)),
  constraint signer_key_pkey PRIMARY KEY (address)
);

create table signer_lease (
  chain_id bigint not null,
  signer bytea not null,
  owner_node text,
  fencing_token bigint not null default 0,
  expires_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  wanted_by text,
  paused boolean not null default false,
  sends_privately boolean not null default false,
  constraint signer_lease_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint signer_lease_check CHECK (((owner_node IS NULL) OR (fencing_token > 0))),
  constraint signer_lease_fencing_token_check CHECK ((fencing_token >= 0)),
  constraint signer_lease_pkey PRIMARY KEY (chain_id, signer)
) with (fillfactor=50);

create table signer_nonce_cursor (
  chain_id bigint not null,
  signer bytea not null,
  next_nonce bigint,
  previous_nonce bigint,
  fencing_token bigint,
  reset_id uuid,
  previous_reset_id uuid,
  timeline bigint,
  constraint signer_nonce_cursor_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint signer_nonce_cursor_never_goes_back CHECK (((previous_nonce IS NULL) OR ((next_nonce IS NOT NULL) AND (next_nonce >= previous_nonce)) OR ((next_nonce IS NOT NULL) AND (reset_id IS NOT NULL) AND (reset_id IS DISTINCT FROM previous_reset_id)))),
  constraint signer_nonce_cursor_next_nonce_check CHECK ((next_nonce >= 0)),
  constraint signer_nonce_cursor_pkey PRIMARY KEY (chain_id, signer),
  constraint signer_nonce_cursor_reset_id_fkey FOREIGN KEY (reset_id) REFERENCES nonce_reset(reset_id)
) with (fillfactor=50);

create table spending_account (
  subject text not null,
  rules jsonb not null,
  ledger jsonb not null default '{}'::jsonb,
  version integer not null default 1,
  updated_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  updated_by text not null,
  constraint spending_account_pkey PRIMARY KEY (subject),
  constraint spending_account_subject_check CHECK ((subject ~ '^(signer:0x[0-9a-f]{40}|key:[0-9a-f]{16})$'::text))
);

create table spending_charge (
  tx_id uuid not null,
  subject text not null,
  chain_id bigint not null,
  charged_at timestamp with time zone not null,
  amounts jsonb not null,
  constraint spending_charge_pkey PRIMARY KEY (tx_id, subject),
  constraint spending_charge_subject_fkey FOREIGN KEY (subject) REFERENCES spending_account(subject) ON DELETE CASCADE
);

CREATE INDEX spending_charge_subject ON public.spending_charge USING btree (subject, charged_at);

create table timer (
  timer_id uuid not null,
  place bigint not null,
  chain_id bigint not null,
  signer bytea not null,
  target bytea not null,
  kernel_id bytea not null,
  tenant text not null,
  name text,
  request_id text,
  request_digest bytea not null,
  spec jsonb not null,
  metadata jsonb not null,
  state text not null,
  end_reason text,
  due_height bigint,
  base_fires bigint not null default 0,
  fire_count bigint not null default 0,
  created_height bigint not null,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  created_by text not null,
  sent bigint not null default 0,
  reverted bigint not null default 0,
  gas_used numeric(78,0) not null default 0,
  fees_paid numeric(78,0) not null default 0,
  failures bigint not null default 0,
  constraint timer_chain_id_signer_fkey FOREIGN KEY (chain_id, signer) REFERENCES signer(chain_id, signer),
  constraint timer_kernel_id_check CHECK ((octet_length(kernel_id) = 32)),
  constraint timer_kernel_id_key UNIQUE (kernel_id),
  constraint timer_pkey PRIMARY KEY (timer_id),
  constraint timer_request_digest_check CHECK ((octet_length(request_digest) = 32)),
  constraint timer_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'PAUSED'::text, 'CANCELLED'::text, 'DONE'::text, 'EVICTED'::text, 'RETIRED'::text]))),
  constraint timer_target_check CHECK ((octet_length(target) = 20))
) with (fillfactor=70);

CREATE INDEX timer_between_times ON public.timer USING btree (chain_id) WHERE ((state = 'ACTIVE'::text) AND (due_height IS NULL) AND (((spec -> 'schedule'::text) ->> 'type'::text) = 'cron'::text));

CREATE INDEX timer_list ON public.timer USING btree (chain_id, place);

CREATE INDEX timer_live ON public.timer USING btree (chain_id, tenant) WHERE (state = ANY (ARRAY['ACTIVE'::text, 'PAUSED'::text]));

CREATE INDEX timer_live_of_signer ON public.timer USING btree (chain_id, signer) WHERE (state = ANY (ARRAY['ACTIVE'::text, 'PAUSED'::text]));

CREATE INDEX timer_of_signer ON public.timer USING btree (chain_id, signer, place);

CREATE INDEX timer_request ON public.timer USING btree (request_id, tenant, chain_id) WHERE (request_id IS NOT NULL);

create table timer_block (
  chain_id bigint not null,
  height bigint not null,
  block_hash bytea not null,
  state_root bytea not null,
  parent_state_root bytea not null,
  keys bytea[] not null,
  constraint timer_block_block_hash_check CHECK ((octet_length(block_hash) = 32)),
  constraint timer_block_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES timer_chain(chain_id),
  constraint timer_block_height_check CHECK ((height >= 0)),
  constraint timer_block_parent_state_root_check CHECK ((octet_length(parent_state_root) = 32)),
  constraint timer_block_pkey PRIMARY KEY (chain_id, height),
  constraint timer_block_state_root_check CHECK ((octet_length(state_root) = 32))
);

create table timer_chain (
  chain_id bigint not null,
  height bigint not null,
  block_hash bytea not null,
  state_root bytea not null,
  command_seq bigint not null default 0,
  snapshot_height bigint,
  snapshot_block jsonb,
  snapshot_params jsonb,
  queue jsonb,
  constraint timer_chain_block_hash_check CHECK ((octet_length(block_hash) = 32)),
  constraint timer_chain_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES timer_lease(chain_id),
  constraint timer_chain_check CHECK ((num_nulls(snapshot_height, snapshot_block, snapshot_params) = ANY (ARRAY[0, 3]))),
  constraint timer_chain_command_seq_check CHECK ((command_seq >= 0)),
  constraint timer_chain_height_check CHECK ((height >= 0)),
  constraint timer_chain_pkey PRIMARY KEY (chain_id),
  constraint timer_chain_state_root_check CHECK ((octet_length(state_root) = 32))
) with (fillfactor=50);

create table timer_command (
  command_id uuid not null,
  place bigint not null,
  chain_id bigint not null,
  body jsonb not null,
  tenant text not null,
  request_id text,
  request_digest bytea,
  answer jsonb,
  seq bigint,
  height bigint,
  created_at timestamp with time zone not null default clock_timestamp(),
  answered_at timestamp with time zone,
  constraint timer_command_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES timer_lease(chain_id),
  constraint timer_command_chain_id_seq_key UNIQUE (chain_id, seq),
  constraint timer_command_check CHECK (((answer IS NULL) = (answered_at IS NULL))),
  constraint timer_command_check1 CHECK (((seq IS NULL) = (height IS NULL))),
  constraint timer_command_check2 CHECK (((seq IS NULL) OR (answer IS NOT NULL))),
  constraint timer_command_pkey PRIMARY KEY (command_id),
  constraint timer_command_request_digest_check CHECK ((octet_length(request_digest) = 32)),
  constraint timer_command_seq_check CHECK ((seq > 0))
) with (fillfactor=70);

CREATE INDEX timer_command_pending ON public.timer_command USING btree (chain_id, place) WHERE (answer IS NULL);

CREATE INDEX timer_command_settled ON public.timer_command USING btree (chain_id, answered_at) WHERE (answer IS NOT NULL);

CREATE INDEX timer_command_unlogged ON public.timer_command USING btree (chain_id, answered_at) WHERE ((answer IS NOT NULL) AND (seq IS NULL));

CREATE UNIQUE INDEX timer_command_request ON public.timer_command USING btree (request_id, tenant, chain_id) WHERE (request_id IS NOT NULL);

create table timer_incarnation (
  kernel_id bytea not null,
  timer_id uuid not null,
  spec jsonb not null,
  constraint timer_incarnation_kernel_id_check CHECK ((octet_length(kernel_id) = 32)),
  constraint timer_incarnation_pkey PRIMARY KEY (kernel_id),
  constraint timer_incarnation_timer_id_fkey FOREIGN KEY (timer_id) REFERENCES timer(timer_id)
);

create table timer_lease (
  chain_id bigint not null,
  owner_node text,
  fencing_token bigint not null default 0,
  expires_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint timer_lease_chain_id_check CHECK ((chain_id > 0)),
  constraint timer_lease_fencing_token_check CHECK ((fencing_token >= 0)),
  constraint timer_lease_pkey PRIMARY KEY (chain_id)
) with (fillfactor=50);

create table timer_snapshot_chunk (
  chain_id bigint not null,
  height bigint not null,
  n integer not null,
  bytes bytea not null,
  constraint timer_snapshot_chunk_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES timer_chain(chain_id),
  constraint timer_snapshot_chunk_n_check CHECK ((n >= 0)),
  constraint timer_snapshot_chunk_pkey PRIMARY KEY (chain_id, height, n)
);

create table tx_attempt (
  hash bytea not null,
  tx_id uuid not null,
  ordinal integer not null,
  raw bytea not null,
  kind text not null,
  nonce bigint not null,
  gas_limit numeric(78,0) not null,
  fees jsonb not null,
  created_at timestamp with time zone not null,
  constraint tx_attempt_hash_check CHECK ((octet_length(hash) = 32)),
  constraint tx_attempt_pkey PRIMARY KEY (hash),
  constraint tx_attempt_tx_id_ordinal_key UNIQUE (tx_id, ordinal)
);

create table tx_event (
  event_id bigint not null,
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
  at timestamp with time zone not null,
  count integer not null default 1,
  last_at timestamp with time zone not null,
  constraint tx_event_count_check CHECK ((count > 0)),
  constraint tx_event_pkey PRIMARY KEY (event_id),
  constraint tx_event_tx_id_tx_seq_key UNIQUE (tx_id, tx_seq)
) with (fillfactor=90);

CREATE INDEX tx_event_completion ON public.tx_event USING btree (event_id) WHERE (to_state = ANY (ARRAY['CONFIRMED'::text, 'FAILED_FINAL'::text, 'CANCELLED'::text, 'EXPIRED'::text]));

CREATE INDEX tx_event_of_no_tx ON public.tx_event USING btree (at) WHERE (tx_id IS NULL);

CREATE INDEX tx_event_of_no_tx_place ON public.tx_event USING btree (event_id) WHERE (tx_id IS NULL);

create table webhook (
  webhook_id uuid not null,
  url text not null,
  description text,
  types text[],
  chain_id bigint,
  signer bytea,
  completions boolean not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamp with time zone,
  state text not null default 'ACTIVE'::text,
  disabled_reason text,
  disabled_at timestamp with time zone,
  failing_since timestamp with time zone,
  planned_to bigint not null,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  created_by text not null,
  owner_node text,
  fencing_token bigint not null default 0,
  expires_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint webhook_chain_id_check CHECK ((chain_id > 0)),
  constraint webhook_check CHECK (((previous_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint webhook_check1 CHECK (((state = 'DISABLED'::text) = (disabled_reason IS NOT NULL))),
  constraint webhook_check2 CHECK (((state = 'DISABLED'::text) = (disabled_at IS NOT NULL))),
  constraint webhook_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['operator'::text, 'gone'::text, 'failing'::text]))),
  constraint webhook_fencing_token_check CHECK ((fencing_token >= 0)),
  constraint webhook_pkey PRIMARY KEY (webhook_id),
  constraint webhook_planned_to_check CHECK ((planned_to >= 0)),
  constraint webhook_signer_check CHECK ((octet_length(signer) = 20)),
  constraint webhook_state_check CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'DISABLED'::text]))),
  constraint webhook_types_check CHECK ((cardinality(types) > 0))
) with (fillfactor=50);

create table webhook_delivery (
  delivery_id uuid not null,
  place bigint not null,
  webhook_id uuid not null,
  event_id bigint,
  body text,
  event_type text not null,
  tx_id uuid,
  order_key text not null,
  state text not null default 'PENDING'::text,
  due_at timestamp with time zone,
  attempts integer not null default 0,
  first_attempt_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  last_status integer,
  last_error text,
  last_response text,
  last_duration_ms integer,
  created_at timestamp with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  settled_at timestamp with time zone,
  constraint webhook_delivery_attempts_check CHECK ((attempts >= 0)),
  constraint webhook_delivery_check CHECK (((event_id IS NULL) = (body IS NOT NULL))),
  constraint webhook_delivery_check1 CHECK (((state = 'PENDING'::text) = (settled_at IS NULL))),
  constraint webhook_delivery_check2 CHECK (((due_at IS NULL) OR (state = 'PENDING'::text))),
  constraint webhook_delivery_pkey PRIMARY KEY (delivery_id),
  constraint webhook_delivery_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'DELIVERED'::text, 'FAILED'::text]))),
  constraint webhook_delivery_webhook_id_event_id_key UNIQUE (webhook_id, event_id),
  constraint webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(webhook_id) ON DELETE CASCADE
) with (fillfactor=70);

CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX webhook_delivery_log ON public.webhook_delivery USING btree (webhook_id, place);

CREATE INDEX webhook_delivery_pending ON public.webhook_delivery USING btree (webhook_id, order_key, event_id) WHERE (state = 'PENDING'::text);

CREATE INDEX webhook_delivery_settled ON public.webhook_delivery USING btree (settled_at) WHERE (settled_at IS NOT NULL);
