-- What one transaction of a lane costs, and what keeps the lane from its work, as its owner last saw it.
alter table signer_health
  add column tx_cost_wei numeric(78, 0),
  add column tx_cost_samples int,
  add column problems jsonb not null default '[]',
  add constraint signer_health_tx_cost check ((tx_cost_wei is null) = (tx_cost_samples is null));
