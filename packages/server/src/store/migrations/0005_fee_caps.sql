-- Caps on what one transaction may cost in fees. That of the chain is a setting, that of the signer is in its policy.

-- What a transaction sent with this key may cost; null: no limit of its own.
alter table api_key add column max_tx_fee numeric(78, 0) check (max_tx_fee > 0);

-- The key's limit when the transaction was accepted: the lane that prices it later does not know the key.
alter table managed_tx add column max_fee numeric(78, 0) check (max_fee > 0);
