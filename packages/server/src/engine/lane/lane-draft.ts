/**
 * What one cycle of a lane is about to store: transitions applied to a working copy of the ledger, the saves they add up
 * to, and the effects that may happen once those are durable. Several events for one transaction become one save.
 */

import type { Lease } from '../../core/lane/lane.ts'
import type { LaneProblem } from '../../core/lane/lane-problem.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { TxCost } from '../../core/lane/runway.ts'
import type { Window } from '../../core/lane/window.ts'
import { fillsOrdered } from '../../core/transaction/fill.ts'
import type { Effect, Step } from '../../core/transaction/step.ts'
import {
  type InFlight,
  inclusionOf,
  isInFlight,
  nonceOf,
  type Transaction,
  type TxId,
} from '../../core/transaction/transaction.ts'
import { transition } from '../../core/transaction/transition.ts'
import type { HistoryNote, TxEvent } from '../../core/transaction/tx-event.ts'
import type { ChainCounts, LaneWrite, NonceMark, TxSave } from '../../ports/lane-write.ts'
import { type Ledger, updateLedger } from './ledger.ts'

export interface LaneDraft {
  current(id: TxId): Transaction | undefined
  /** Transactions of the lane with a nonce, lowest first, as they would be after this draft. */
  inFlight(): readonly InFlight[]
  /** Those of them that are in no block. A lane may have thousands of others, so look at these if they will do. */
  unmined(): readonly InFlight[]
  /** How many have a nonce. */
  count(): number
  apply(tx: Transaction, event: TxEvent): Transaction
  moveCursor(next: number): void
  takeRecyclable(nonce: number): void
  /** Marks a nonce that no transaction of the lane has as used, or free. */
  markNonce(nonce: number, status: 'USED' | 'RECYCLABLE'): void
  /** Notes something about the lane itself. */
  note(note: HistoryNote): void
  /** What was seen of the account. Stored at once if it `isNews`, otherwise with the next write. */
  setBalance(balance: NonNullable<LaneWrite['balance']>, txCost: TxCost | null, isNews: boolean): void
  setProblems(problems: readonly LaneProblem[]): void
  /** A reason to store, unless `isOld`: then they are stored with the next write. */
  setCounts(counts: ChainCounts, isOld: boolean): void
  setWindow(window: Window): void
  isEmpty(): boolean
  toWrite(lease: Lease): LaneWrite
  /** Every transaction that this draft moved, in its new state. */
  changed(): readonly Transaction[]
  effects(): readonly { readonly txId: TxId; readonly effect: Effect }[]
  /** The ledger after the write returned these versions. */
  settle(versions: readonly number[]): Ledger
}

interface Change {
  readonly before: Transaction
  tx: Transaction
  readonly notes: HistoryNote[]
}

export function createLaneDraft(ledger: Ledger, policy: Policy): LaneDraft {
  const changes = new Map<TxId, Change>()
  const effects: { txId: TxId; effect: Effect }[] = []
  const marks: NonceMark[] = []
  const notes: HistoryNote[] = []
  const taken = new Set<number>()
  const freed = new Set<number>()
  let cursor = ledger.cursor
  let balance: LaneWrite['balance'] = null
  let counts: ChainCounts | null = null
  let hasNewCounts = false
  let txCost: TxCost | null = null
  let problems: readonly LaneProblem[] | null = null
  let hasNews = false
  let window: Window | null = null
  let listed: readonly InFlight[] | null = null
  let listedUnmined: readonly InFlight[] | null = null

  function apply(tx: Transaction, event: TxEvent): Transaction {
    const change = changes.get(tx.id)
    const before = change?.tx ?? tx
    const step = transition(before, event, policy)
    if (step.tx === before) return before
    listed = null
    listedUnmined = null
    if (change === undefined) changes.set(tx.id, { before, tx: step.tx, notes: markSteps(step.notes, before, step.tx) })
    else {
      change.tx = step.tx
      change.notes.push(...markSteps(step.notes, before, step.tx))
    }
    for (const effect of step.effects) effects.push({ txId: tx.id, effect })
    marks.push(...markNonces(before, step))
    for (const effect of step.effects) {
      const had = nonceOf(before)
      if (effect.type === 'nonce.freed' && had !== null && !fillsOrdered(tx.intent)) freed.add(had)
    }
    return step.tx
  }

  function inFlight(): readonly InFlight[] {
    listed ??= list(ledger.inFlight, changes, () => true)
    return listed
  }

  function unmined(): readonly InFlight[] {
    listedUnmined ??= list(ledger.unmined, changes, (tx) => inclusionOf(tx) === null)
    return listedUnmined
  }

  /** By how many there are more than before. */
  function countNew(): number {
    let more = 0
    for (const [id, { tx }] of changes) more += Number(isInFlight(tx)) - Number(ledger.inFlight.has(id))
    return more
  }

  return {
    current: (id) => changes.get(id)?.tx ?? ledger.inFlight.get(id),
    inFlight,
    unmined,
    count: () => ledger.inFlight.size + countNew(),
    apply,
    moveCursor: (next) => {
      cursor = next
    },
    takeRecyclable: (nonce) => {
      taken.add(nonce)
    },
    markNonce: (nonce, status) => {
      marks.push({ nonce, status, txId: null })
      if (status === 'USED') taken.add(nonce)
      else freed.add(nonce)
    },
    note: (note) => {
      notes.push(note)
    },
    setBalance: (seen, cost, isNews) => {
      balance = seen
      txCost = cost
      hasNews ||= isNews
    },
    setProblems: (found) => {
      problems = found
      hasNews = true
    },
    setCounts: (seen, isOld) => {
      counts = seen
      hasNewCounts = !isOld
    },
    setWindow: (found) => {
      window = found
    },
    isEmpty: () =>
      !(hasNews || hasNewCounts) &&
      changes.size === 0 &&
      marks.length === 0 &&
      notes.length === 0 &&
      cursor === ledger.cursor,
    toWrite: (lease) => ({
      lease,
      cursor: cursor === ledger.cursor || cursor === null ? null : { expected: ledger.cursor, next: cursor },
      saves: [...changes.values()].map(toSave),
      nonces: marks,
      notes,
      reservations: [],
      reset: null,
      balance,
      counts,
      window,
      txCost,
      problems,
    }),
    changed: () => [...changes.values()].map((change) => change.tx),
    effects: () => effects,
    settle: (versions) => {
      const stored = [...changes.values()].map(({ tx }, index): Transaction => {
        const version = versions[index]
        if (version === undefined) throw new Error('the store answered fewer versions than it was given saves')
        return { ...tx, version }
      })
      const recyclable = [...ledger.recyclable.filter((nonce) => !taken.has(nonce)), ...freed]
      return { ...updateLedger(ledger, stored), cursor, recyclable: recyclable.sort((a, b) => a - b) }
    },
  }
}

/** One save may hold several transitions: each history entry describes its own. */
function markSteps(notes: readonly HistoryNote[], before: Transaction, after: Transaction): HistoryNote[] {
  const step = { from: before.state, fromSubState: before.subState, to: after.state, subState: after.subState }
  return notes.map((note) => ({ ...note, step }))
}

/** What a step does to the nonce of its transaction. */
export function markNonces(before: Transaction, { tx, effects }: Step): readonly NonceMark[] {
  const had = nonceOf(before)
  const has = nonceOf(tx)
  if (had === null) return has === null ? [] : [{ nonce: has, status: 'RESERVED', txId: tx.id }]
  const holder = has === null ? null : tx.id
  return effects.flatMap((effect): NonceMark[] => {
    if (effect.type === 'nonce.used') return [{ nonce: had, status: 'USED', txId: holder }]
    if (effect.type !== 'nonce.freed') return []
    // It was taken from a holder whose own transaction may still be mined: only another fill may use it.
    const status = fillsOrdered(before.intent) ? 'RESERVED' : 'RECYCLABLE'
    return [{ nonce: had, status, txId: null }]
  })
}

/** Those of them, and of what the changes add, that still belong to it after the changes. */
function list(
  stored: ReadonlyMap<TxId, InFlight>,
  changes: ReadonlyMap<TxId, Change>,
  belongs: (tx: InFlight) => boolean,
): readonly InFlight[] {
  const now: InFlight[] = []
  for (const [id, tx] of stored) {
    const latest = changes.get(id)?.tx ?? tx
    if (isInFlight(latest) && belongs(latest)) now.push(latest)
  }
  for (const [id, { tx }] of changes) if (!stored.has(id) && isInFlight(tx) && belongs(tx)) now.push(tx)
  return sortByNonce(now)
}

/** New nonces come at the end, so there is seldom anything to do. */
function sortByNonce(transactions: InFlight[]): InFlight[] {
  return isSorted(transactions) ? transactions : transactions.sort((a, b) => a.nonce - b.nonce)
}

function isSorted(transactions: readonly InFlight[]): boolean {
  return transactions.every((tx, index) => index === 0 || (transactions[index - 1]?.nonce ?? 0) < tx.nonce)
}

function toSave(change: Change): TxSave {
  const { version, state, attempts } = change.before
  return { before: { version, state, attemptCount: attempts.length }, tx: change.tx, notes: change.notes }
}
