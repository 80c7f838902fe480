-- What the nodes made of a transaction's bytes, as far as it decides what may take their place.

alter table managed_tx
  -- A node took bytes under this nonce, or may have.
  add column may_be_held boolean,
  -- Why an empty transaction takes its nonce: {code, message, reason?, mayPass}. Null: none does.
  add column refusal jsonb,
  drop constraint managed_tx_signed_is_whole;

update managed_tx set may_be_held = true where nonce is not null;

alter table managed_tx
  add constraint managed_tx_signed_is_whole check (
    case
      when nonce is null then
        num_nonnulls(fencing_token, node_id, allocated_at, waiting_since, submitted_at, last_submit_at, submit_count,
          refusals, next_resubmit_at, new_forks, wish, may_be_held, refusal, inclusion, confirmations, mined_at,
          stuck_at) = 0
      else
        num_nulls(fencing_token, node_id, allocated_at, waiting_since, submit_count, refusals, next_resubmit_at,
          new_forks, wish, may_be_held) = 0
    end
  ),
  add constraint managed_tx_final_has_no_refusal check (final_at is null or refusal is null);
