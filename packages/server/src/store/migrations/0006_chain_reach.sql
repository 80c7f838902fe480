-- The chains that a node can reach; null for nodes that do not say so. A lane leaves a node that cannot reach its chain.
alter table node add column chains bigint[];

-- Whether the call was run before it was accepted, and nothing spoke against it.
alter table managed_tx add column simulated boolean not null default false;
