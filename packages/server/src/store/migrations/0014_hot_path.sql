-- A batch updates all rows of a page at once, while their old versions are still needed: only a page with as much room
-- again takes the new ones without touching every index.
alter table managed_tx set (fillfactor = 50);

-- One index for what two did: it begins with the request id, by bytes, so that it finds prefixes too. And no other index
-- begins with any of its columns but the chain's: a look-up that leaves that one out of its index conditions has only this
-- one to go by, also in the plans that are made while the table is empty.
drop index managed_tx_request;
drop index managed_tx_request_prefix;
create unique index managed_tx_request on managed_tx (request_id text_pattern_ops, signer, tenant, chain_id)
  where request_id is not null;
