/**
 * Writing to the books, as steps of a statement. The rows of the accounts are locked in one order and compared with the
 * version that was read. A statement that waited for another one sees what that one wrote, and then `books.fits` is
 * false and none of these steps writes anything: of two nodes that decided on the same books, one decides again.
 */
import type { SpendingWrite } from '../../../core/rules/judge.ts'
import { toJson, toStored, toTime } from '../json-text.ts'

/** The steps that write. */
export const SPENDING_WRITES = ['booked', 'released', 'charged'] as const

/** `when`: a condition that must be evaluated before the first lock. */
export const spendingSteps = (accounts: string, charges: string, dropped: string, when = 'true') => `
given as materialized (
  select * from json_to_recordset(${accounts}::json) as g(subject text, version int, ledger jsonb)
), account as materialized (
  select a.subject
    from (select * from given where ${when} order by subject) g
   cross join lateral (
     select a.subject from spending_account a where a.subject = g.subject and a.version = g.version for update) a
), books as materialized (
  select (select count(*) from account) = (select count(*) from given) as fits
), booked as (
  update spending_account a set ledger = g.ledger, version = a.version + 1
    from given g
   where a.subject = g.subject and (select fits from books)
  returning 1
), released as (
  delete from spending_charge c
   using json_to_recordset(${dropped}::json) as d(tx_id uuid, subject text)
   where c.tx_id = d.tx_id and c.subject = d.subject and (select fits from books)
  returning 1
), charged as (
  insert into spending_charge (tx_id, subject, chain_id, charged_at, amounts)
  select n.tx_id, n.subject, n.chain_id, n.charged_at, n.amounts
    from json_to_recordset(${charges}::json) as n(
      tx_id uuid, subject text, chain_id bigint, charged_at timestamptz, amounts jsonb)
   where (select fits from books)
  on conflict (tx_id, subject) do update
     set chain_id = excluded.chain_id, charged_at = excluded.charged_at, amounts = excluded.amounts
  returning 1
)`

/** Accounts, charges and what is dropped, as those steps take them. */
export function toSpendingValues({ accounts, charges, dropped }: SpendingWrite): readonly [string, string, string] {
  return [
    toJson(toStored(accounts)),
    toJson(
      charges.map(({ txId, subject, chainId, at, amounts }) => ({
        tx_id: txId,
        subject,
        chain_id: chainId,
        charged_at: toTime(at),
        amounts: toStored(amounts),
      })),
    ),
    toJson(dropped.map(({ txId, subject }) => ({ tx_id: txId, subject }))),
  ]
}
