-- What callers of eth_sendTransaction may say besides: the storage that is declared in advance, and one nonce or none.
alter table managed_tx
  add column access_list jsonb,
  add column exact_nonce bigint check (exact_nonce >= 0);
