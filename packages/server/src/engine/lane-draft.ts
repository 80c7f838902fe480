/**
 * What one cycle of a lane is about to store: transitions applied to a working copy of the ledger, the saves they add up
 * to, and the effects that may happen once those are durable. Several events for one transaction become one save.
 */

import type { Lease } from '../core/lane.ts'
import type { Policy } from '../core/policy.ts'
import type { Effect } from '../core/step.ts'
import { type InFlight, isInFlight, nonceOf, type Transaction, type TxId } from '../core/transaction.ts'
import { transition } from '../core/transition.ts'
import type { HistoryNote, TxEvent } from '../core/tx-event.ts'
import type { LaneWrite, NonceMark, TxSave } from '../ports/store.ts'

/** What the owner of a lane knows of it: exactly what the store holds, as of the last write. */
export interface Ledger {
  readonly cursor: number | null
  readonly inFlight: ReadonlyMap<TxId, InFlight>
  readonly recyclable: readonly number[]
}

export interface LaneDraft {
  current(id: TxId): Transaction | undefined
  /** Transactions of the lane with a nonce, as they would be after this draft. */
  inFlight(): readonly InFlight[]
  apply(tx: Transaction, event: TxEvent): Transaction
  moveCursor(next: number): void
  takeRecyclable(nonce: number): void
  isEmpty(): boolean
  toWrite(lease: Lease): LaneWrite
  /** Every transaction that this draft moved, as it is after it. */
  changed(): readonly Transaction[]
  effects(): readonly { readonly txId: TxId; readonly effect: Effect }[]
  /** The ledger once the write came back with these versions. */
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
  let cursor = ledger.cursor
  const taken = new Set<number>()

  function apply(tx: Transaction, event: TxEvent): Transaction {
    const change = changes.get(tx.id)
    const before = change?.tx ?? tx
    const step = transition(before, event, policy)
    if (step.tx === before) return before
    if (change === undefined) changes.set(tx.id, { before, tx: step.tx, notes: markSteps(step.notes, before, step.tx) })
    else {
      change.tx = step.tx
      change.notes.push(...markSteps(step.notes, before, step.tx))
    }
    for (const effect of step.effects) effects.push({ txId: tx.id, effect })
    markNonces(before, step.tx)
    return step.tx
  }

  function markNonces(before: Transaction, after: Transaction): void {
    const had = nonceOf(before)
    const has = nonceOf(after)
    if (had === null && has !== null) marks.push({ nonce: has, status: 'RESERVED', txId: after.id })
    else if (had !== null && !isInFlight(after))
      marks.push({ nonce: had, status: 'USED', txId: has === null ? null : after.id })
  }

  function inFlight(): readonly InFlight[] {
    const now = new Map<TxId, Transaction>(ledger.inFlight)
    for (const [id, change] of changes) now.set(id, change.tx)
    return [...now.values()].filter(isInFlight).sort((a, b) => a.nonce - b.nonce)
  }

  return {
    current: (id) => changes.get(id)?.tx ?? ledger.inFlight.get(id),
    inFlight,
    apply,
    moveCursor: (next) => {
      cursor = next
    },
    takeRecyclable: (nonce) => {
      taken.add(nonce)
    },
    isEmpty: () => changes.size === 0 && cursor === ledger.cursor,
    toWrite: (lease) => ({
      lease,
      cursor: cursor === ledger.cursor || cursor === null ? null : { expected: ledger.cursor, next: cursor },
      saves: [...changes.values()].map(toSave),
      nonces: marks,
    }),
    changed: () => [...changes.values()].map((change) => change.tx),
    effects: () => effects,
    settle: (versions) => {
      const next = new Map(ledger.inFlight)
      let index = 0
      for (const [id, change] of changes) {
        const version = versions[index++]
        if (version === undefined) throw new Error('the store answered fewer versions than it was given saves')
        if (isInFlight(change.tx)) next.set(id, { ...change.tx, version })
        else next.delete(id)
      }
      return { cursor, inFlight: next, recyclable: ledger.recyclable.filter((nonce) => !taken.has(nonce)) }
    },
  }
}

/** One save may hold several transitions: each entry of the history tells of its own. */
function markSteps(notes: readonly HistoryNote[], before: Transaction, after: Transaction): HistoryNote[] {
  const step = { from: before.state, to: after.state, subState: after.subState }
  return notes.map((note) => ({ ...note, step }))
}

function toSave(change: Change): TxSave {
  const { version, state, attempts } = change.before
  return { before: { version, state, attemptCount: attempts.length }, tx: change.tx, notes: change.notes }
}
