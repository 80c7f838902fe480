-- The timeline of PostgreSQL on which the cursor last moved. Each promotion of a standby starts another one: a cursor of an
-- older timeline may have missed what the chain has seen.
alter table signer_nonce_cursor add column timeline bigint;
