/** Rule sets and their books in PostgreSQL. */

import type { Inclusion } from '../../../core/chain/finality.ts'
import type { Charge, SpendingAccount, SpendingRead, SpendingWrite } from '../../../core/rules/judge.ts'
import type { Ledger } from '../../../core/rules/ledger.ts'
import type { Caps, RuleSet, SubjectId } from '../../../core/rules/rule-set.ts'
import type { ChargeEnd } from '../../../core/rules/settle.ts'
import type { Amounts } from '../../../core/rules/spending.ts'
import type { TxState } from '../../../core/transaction/transaction.ts'
import type { SpendingStore } from '../../../ports/spending-store.ts'
import { endOf, UNSTORED_AFTER_MS } from '../../rules/charge-end.ts'
import type { Database } from '../database.ts'
import { toJson, toStored, toText } from '../json-text.ts'
import { CHANNEL, RULES_CHANGED } from '../notice-payload.ts'
import { readInclusion, type Stored } from '../stored-json.ts'
import { SPENDING_WRITES, spendingSteps, toSpendingValues } from './spending-steps.ts'

const ACCOUNT = 'a.subject, a.rules, a.ledger, a.version, a.updated_at, a.updated_by'

const LIST = {
  name: 'list_spending_accounts',
  text: `select ${ACCOUNT} from spending_account a order by a.subject`,
} as const

const READ = {
  name: 'read_spending',
  text: `
select date_trunc('milliseconds', clock_timestamp()) as now,
       (select json_agg(json_build_object('subject', a.subject, 'rules', a.rules, 'ledger', a.ledger,
                 'version', a.version, 'updatedAt', (extract(epoch from a.updated_at) * 1000)::bigint,
                 'updatedBy', a.updated_by) order by a.subject)
          from spending_account a where a.subject = any($1::text[])) as accounts,
       (select json_agg(json_build_object('txId', c.tx_id, 'subject', c.subject, 'chainId', c.chain_id,
                 'at', (extract(epoch from c.charged_at) * 1000)::bigint, 'amounts', c.amounts))
          from spending_charge c where c.tx_id = any($2::uuid[]) and c.subject = any($1::text[])) as charges`,
} as const

const WRITE = {
  name: 'write_spending',
  text: `
with ${spendingSteps('$1', '$2', '$3')}
select fits, ${SPENDING_WRITES.map((step) => `(select count(*) from ${step}) as ${step}`).join(', ')} from books`,
} as const

const ENDS = {
  name: 'read_charge_ends',
  text: `
select c.tx_id, c.subject, c.chain_id, c.charged_at, c.amounts, t.state, t.inclusion
  from spending_charge c left join managed_tx t on t.tx_id = c.tx_id
 where c.subject = any($1::text[])
   and (t.final_at is not null
        or t.tx_id is null and c.charged_at < clock_timestamp() - ${UNSTORED_AFTER_MS} * interval '1 millisecond')
 order by c.charged_at limit $2`,
} as const

/** Whatever the old rules held is due now, and its lanes are woken. */
const RELEASE = (when: string) => `
due as (
  update managed_tx t set retry_at = clock_timestamp()
    from signer s
   where ${when} and t.chain_id = s.chain_id and t.signer = s.signer and t.queue_position is not null
     and t.sub_state = 'held_by_rule' and $1 in ('signer:0x' || encode(t.signer, 'hex'), 'key:' || t.key_id)
  returning t.chain_id, t.signer
), told as materialized (
  select pg_notify('${CHANNEL}', payload)
    from (select format('{"type":"lane.work","chainId":%s,"signer":"0x%s"}', chain_id, encode(signer, 'hex')) as payload
            from (select distinct chain_id, signer from due) l
          union select '${RULES_CHANGED}' where ${when}) n
)`

/** By chance: rules that are removed and set again must not have a version that somebody has read before. */
const FIRST_VERSION = '1 + floor(random() * 1000000000)::int'

const PUT = {
  name: 'put_rules',
  text: `
with before as materialized (
  select a.rules from spending_account a where a.subject = $1 for update
), written as (
  insert into spending_account as a (subject, rules, updated_by, version)
  select $1, $2::jsonb, $3, ${FIRST_VERSION} where (select count(*) from before) >= 0
  on conflict (subject) do update
     set rules = excluded.rules, version = a.version + 1, updated_by = excluded.updated_by,
         updated_at = date_trunc('milliseconds', clock_timestamp())
  returning 1
), ${RELEASE('exists (select from written)')}
select (select rules from before) as rules, (select count(*) from written) as written, (select count(*) from told) as told`,
} as const

const REMOVE = {
  name: 'remove_rules',
  text: `
with removed as (
  delete from spending_account a where a.subject = $1 returning a.rules
), ${RELEASE('exists (select from removed)')}
select r.rules, (select count(*) from told) as told from removed r`,
} as const

interface AccountRow {
  readonly subject: SubjectId
  readonly rules: Stored<RuleSet>
  readonly ledger: Stored<Ledger>
  readonly version: number
  readonly updated_at: number
  readonly updated_by: string
}

interface ReadRow {
  readonly now: number
  readonly accounts: readonly Stored<SpendingAccount>[] | null
  readonly charges: readonly Stored<Charge>[] | null
}

interface EndRow {
  readonly tx_id: string
  readonly subject: SubjectId
  readonly chain_id: number
  readonly charged_at: number
  readonly amounts: Stored<Amounts>
  readonly state: TxState | null
  readonly inclusion: Stored<Inclusion> | null
}

export function createSpendingStatements(database: Database): SpendingStore {
  return {
    listAccounts: async () => (await database.query<AccountRow>(LIST, [])).map(readAccountRow),
    readSpending: (ask) => readSpending(database, ask),
    writeSpending: async (write: SpendingWrite) => {
      const [row] = await database.query<{ fits: boolean }>(WRITE, toSpendingValues(write))
      return row?.fits === true
    },
    readEnds: async (subjects, limit) => (await database.query<EndRow>(ENDS, [subjects, limit])).map(readEnd),
    putRules: async (subject, rules, by) => {
      const [row] =
        rules === null
          ? await database.query<{ rules: Stored<RuleSet> | null }>(REMOVE, [subject])
          : await database.query<{ rules: Stored<RuleSet> | null }>(PUT, [subject, toJson(toStored(rules)), toText(by)])
      return row?.rules ? readRules(row.rules) : null
    },
  }
}

async function readSpending(
  database: Database,
  { subjects, txIds }: Parameters<SpendingStore['readSpending']>[0],
): Promise<SpendingRead> {
  const [row] = await database.query<ReadRow>(READ, [subjects, txIds])
  if (row === undefined) throw new Error('the books have no answer')
  return {
    nowMs: row.now,
    accounts: (row.accounts ?? []).map(readAccount),
    charges: (row.charges ?? []).map((charge) => ({ ...charge, amounts: readAmounts(charge.amounts) })),
  }
}

function readAccountRow({ updated_at: updatedAt, updated_by: updatedBy, ...row }: AccountRow): SpendingAccount {
  return readAccount({ ...row, updatedAt, updatedBy })
}

function readAccount(account: Stored<SpendingAccount>): SpendingAccount {
  return { ...account, rules: readRules(account.rules), ledger: readLedger(account.ledger) }
}

function readEnd(row: EndRow): ChargeEnd {
  const { tx_id: txId, subject, chain_id: chainId, charged_at: at, state, inclusion } = row
  const charge = { txId, subject, chainId, at, amounts: readAmounts(row.amounts) }
  return endOf(charge, state, inclusion && readInclusion(inclusion))
}

function readRules(stored: Stored<RuleSet>): RuleSet {
  const { value, gas, count, approval, tokens } = stored
  return {
    ...stored,
    value: value && readCaps(value),
    gas: gas && readCaps(gas),
    tokens: tokens.map((token) => ({ ...token, ...readCaps(token), approvalAbove: readWei(token.approvalAbove) })),
    count: count && { perHour: readWei(count.perHour), perDay: readWei(count.perDay) },
    approval: approval && { ...approval, above: BigInt(approval.above) },
  }
}

function readCaps({ perTransaction, perHour, perDay }: Stored<Caps>): Caps {
  return { perTransaction: readWei(perTransaction), perHour: readWei(perHour), perDay: readWei(perDay) }
}

function readLedger(stored: Stored<Ledger>): Ledger {
  const entries = Object.entries(stored).map(([key, { hour, day }]) => [
    key,
    { hour: readSteps(hour), day: readSteps(day) },
  ])
  return Object.fromEntries(entries)
}

function readSteps(steps: Readonly<Record<string, string>>): Readonly<Record<string, bigint>> {
  return Object.fromEntries(Object.entries(steps).map(([step, amount]) => [step, BigInt(amount)]))
}

function readAmounts(stored: Stored<Amounts>): Amounts {
  return Object.fromEntries(Object.entries(stored).map(([measure, amount]) => [measure, BigInt(amount ?? 0)]))
}

function readWei(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}
