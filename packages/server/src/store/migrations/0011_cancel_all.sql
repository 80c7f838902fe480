-- A reset that first cancels everything that is in flight: one order, with the transactions that it is about.
alter table nonce_reset
  add column cancels_first boolean not null default false,
  add column tx_ids uuid[];

alter table nonce_reset drop constraint nonce_reset_state_check;
alter table nonce_reset add constraint nonce_reset_state_check
  check (state in ('REQUESTED', 'CANCELLING', 'DONE', 'REFUSED'));

alter table nonce_reset drop constraint nonce_reset_answer_is_whole;
alter table nonce_reset add constraint nonce_reset_answer_is_whole check (
  (state in ('REQUESTED', 'CANCELLING')) = (answered_at is null)
  and (state = 'DONE') = (to_nonce is not null)
  and (state = 'REFUSED') = (refusal is not null)
  and (state <> 'CANCELLING' or (cancels_first and tx_ids is not null))
);
