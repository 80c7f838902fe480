-- The bytes of this signer go only to its own send endpoints (`rpcSendUrl`), whichever node sends them. It is stored with the
-- lease, as the pause is: taking over a lane reads it under the lock of the row.
alter table signer_lease add column sends_privately boolean not null default false;
