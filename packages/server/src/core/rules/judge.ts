/**
 * Judges transactions one after the other against the rule sets that bind them, and keeps the books: what is allowed is
 * charged at once, so the next one sees less room. A transaction that was charged before is charged anew: it never
 * counts twice.
 */
import type { TxId } from '../transaction/transaction.ts'
import type { ApprovalNeed } from './approval.ts'
import { decide, findTokenCaps, needsApproval, type RuleRefusal } from './decide.ts'
import { addTo, type Ledger, ledgerKey, spentOf } from './ledger.ts'
import type { RuleMode, RuleSet, SubjectId } from './rule-set.ts'
import { type Amounts, amountsOf, isMeasure, type Wanted } from './spending.ts'

/** A subject with rules, and its books. */
export interface SpendingAccount {
  readonly subject: SubjectId
  readonly rules: RuleSet
  readonly ledger: Ledger
  /** Grows with every change: a writer that saw an older one writes nothing. */
  readonly version: number
  readonly updatedAt: number
  readonly updatedBy: string
}

/** What a transaction is counted with in the books of a subject, until its end is known. */
export interface Charge {
  readonly txId: TxId
  readonly subject: SubjectId
  readonly chainId: number
  readonly at: number
  readonly amounts: Amounts
}

export interface SpendingRead {
  /** By the database's clock. */
  readonly nowMs: number
  readonly accounts: readonly SpendingAccount[]
  /** Of the transactions that were asked for. */
  readonly charges: readonly Charge[]
}

/** All of it or nothing, and only while every account still has its version. */
export interface SpendingWrite {
  readonly accounts: readonly Pick<SpendingAccount, 'subject' | 'version' | 'ledger'>[]
  /** Replaces an earlier charge of the same transaction and subject. */
  readonly charges: readonly Charge[]
  readonly dropped: readonly Pick<Charge, 'txId' | 'subject'>[]
}

export interface JudgeItem {
  readonly txId: TxId
  readonly subjects: readonly SubjectId[]
  readonly wanted: Wanted
  /** It is charged but never refused: an empty transaction that keeps the signer going. */
  readonly isExempt?: boolean
  /** Bytes of it may be mined already: a refusal leaves its charge as it is. */
  readonly isSent?: boolean
}

export interface Refused {
  readonly subject: SubjectId
  readonly mode: RuleMode
  readonly refusal: RuleRefusal
}

export interface Verdict {
  /** Null: allowed. */
  readonly refused: Refused | null
  /** What sets in `report` mode would have refused. */
  readonly reported: readonly Refused[]
  readonly needs: readonly (ApprovalNeed & { readonly expiresInMs: number })[]
  /** The subjects whose rules it was held against. */
  readonly judgedBy: readonly SubjectId[]
}

export function judgeAll(
  read: SpendingRead,
  items: readonly JudgeItem[],
): { readonly verdicts: readonly Verdict[]; readonly write: SpendingWrite } {
  const { nowMs: now } = read
  const accounts = new Map(read.accounts.map((account) => [account.subject, account]))
  const ledgers = new Map(read.accounts.map(({ subject, ledger }) => [subject, ledger]))
  const open = new Map(read.charges.map((charge) => [chargeKey(charge), charge]))
  const charges = new Map<string, Charge>()
  const dropped = new Map<string, Charge>()

  function uncharge(txId: TxId, subject: SubjectId): void {
    const key = chargeKey({ txId, subject })
    const earlier = open.get(key)
    if (earlier === undefined) return
    ledgers.set(subject, applyCharge(ledgers.get(subject) ?? {}, earlier, -1n, now))
    open.delete(key)
    charges.delete(key)
    dropped.set(key, earlier)
  }

  function charge(item: JudgeItem, { subject, rules }: SpendingAccount): void {
    const { chainId } = item.wanted
    const amounts = amountsOf(item.wanted, (token) => findTokenCaps(rules, token, chainId).length > 0)
    put({ txId: item.txId, subject, chainId, at: now, amounts })
  }

  function put(made: Charge): void {
    const key = chargeKey(made)
    ledgers.set(made.subject, applyCharge(ledgers.get(made.subject) ?? {}, made, 1n, now))
    open.set(key, made)
    charges.set(key, made)
    dropped.delete(key)
  }

  const verdicts = items.map((item): Verdict => {
    const bound = item.subjects.flatMap((subject) => accounts.get(subject) ?? [])
    const earlier = bound.flatMap(({ subject }) => open.get(chargeKey({ txId: item.txId, subject })) ?? [])
    for (const { subject } of bound) uncharge(item.txId, subject)
    const broken = item.isExempt === true ? [] : bound.flatMap((account) => findRefused(account, ledgers, item, now))
    const refused = broken.find(({ mode }) => mode === 'enforce') ?? null
    if (refused === null) for (const account of bound) charge(item, account)
    else if (item.isSent === true) for (const charge of earlier) put(charge)
    return {
      refused,
      reported: broken.filter(({ mode }) => mode === 'report'),
      needs: item.isExempt === true ? [] : bound.flatMap((account) => findNeed(account, item)),
      judgedBy: bound.map(({ subject }) => subject),
    }
  })
  const changed = read.accounts.filter(({ subject, ledger }) => ledgers.get(subject) !== ledger)
  return {
    verdicts,
    write: {
      accounts: changed.map(({ subject, version, ledger }) => ({
        subject,
        version,
        ledger: ledgers.get(subject) ?? ledger,
      })),
      charges: [...charges.values()],
      dropped: [...dropped.values()].map(({ txId, subject }) => ({ txId, subject })),
    },
  }
}

function findRefused(
  { subject, rules }: SpendingAccount,
  ledgers: ReadonlyMap<SubjectId, Ledger>,
  { wanted }: JudgeItem,
  now: number,
): readonly Refused[] {
  const ledger = ledgers.get(subject) ?? {}
  const refusal = decide(rules, (measure) => spentOf(ledger, ledgerKey(wanted.chainId, measure), now), wanted)
  return refusal === null ? [] : [{ subject, mode: rules.mode, refusal }]
}

function findNeed({ subject, rules }: SpendingAccount, { wanted }: JudgeItem): Verdict['needs'] {
  const { approval, mode } = rules
  if (approval === null || mode === 'report' || !needsApproval(rules, wanted)) return []
  return [{ subject, of: approval.of, keys: approval.keys, expiresInMs: approval.expiresInMs }]
}

/** `sign` 1: counts it; -1: takes it back. */
export function applyCharge(
  ledger: Ledger,
  { chainId, at, amounts }: Pick<Charge, 'chainId' | 'at' | 'amounts'>,
  sign: 1n | -1n,
  now: number,
): Ledger {
  let after = ledger
  for (const [measure, amount] of Object.entries(amounts)) {
    if (!isMeasure(measure) || amount === undefined || amount === 0n) continue
    after = addTo(after, ledgerKey(chainId, measure), { at, amount: sign * amount, now })
  }
  return after
}

function chargeKey({ txId, subject }: Pick<Charge, 'txId' | 'subject'>): string {
  return `${txId} ${subject}`
}
