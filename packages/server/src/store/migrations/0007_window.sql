-- How many unmined transactions a lane may have out, as its owner found it; see core/window.ts. Null until one ran it.
alter table signer_health add column send_window jsonb;

-- Signers that are known already get what their preset now says; 64 was the `fast` preset's own number.
update signer
   set policy = policy
     || jsonb_build_object(
          'slotHeldUntil', case when policy->>'preset' = 'fast' then 'mined' else 'final' end, 'maxUnfinal', 10000)
     || case when policy->>'preset' = 'fast' and policy->'maxInFlight' = '64' then '{"maxInFlight": "auto"}'::jsonb
             else '{}'::jsonb end;
