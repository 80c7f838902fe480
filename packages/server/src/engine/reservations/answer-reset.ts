/** How a lane's owner answers the first pending reset of its cursor: refuse, cancel everything first, or reset. */
import { type CancelAllStep, planCancelAll } from '../../core/lane/cancel-all.ts'
import type { Lease } from '../../core/lane/lane.ts'
import { decideReset, type NonceReset } from '../../core/lane/nonce-reset.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { OpenReservation } from '../../ports/lane-requests.ts'
import type { LaneWrite } from '../../ports/lane-write.ts'
import type { Ledger } from '../lane/ledger.ts'
import { emptyWrite, type Storable } from './request-draft.ts'

export interface ResetScene {
  readonly lease: Lease
  readonly ledger: Ledger
  readonly reservations: readonly OpenReservation[]
  readonly policy: Policy
  /** The account's count, no older than the head; null: query it first. */
  readonly latestCount: number | null
}

export interface ResetAnswer {
  /** The resets that remain once the answer is stored. */
  readonly resets: readonly NonceReset[]
  readonly answer: Storable
}

/** Null: nothing can be answered yet. */
export function answerReset(resets: readonly NonceReset[], scene: ResetScene): ResetAnswer | null {
  const [reset, ...others] = resets
  if (reset === undefined) return null
  const step = planReset(reset, scene)
  if (step.type === 'refuse') return { resets: others, answer: refuse(reset, step.why, scene) }
  if (step.type === 'note') {
    const begun = { ...reset, state: 'CANCELLING', txIds: step.txIds } as const
    return { resets: [begun, ...others], answer: beginCancelling(reset, step.txIds, scene) }
  }
  if (step.type === 'wait' || scene.latestCount === null) return null
  const { ledger, reservations } = scene
  const verdict = decideReset(scene.latestCount, { inFlight: [...ledger.inFlight.values()], reservations })
  if (verdict.type === 'refused') return { resets: others, answer: refuse(reset, verdict.why, scene) }
  return { resets: others, answer: moveCursor(reset, verdict.next, scene) }
}

/** The first reset waits only for the account's count. */
export function isResetDue(resets: readonly NonceReset[], scene: Omit<ResetScene, 'latestCount'>): boolean {
  const [reset] = resets
  return reset !== undefined && planReset(reset, scene).type === 'reset'
}

function planReset(reset: NonceReset, scene: Omit<ResetScene, 'latestCount'>): CancelAllStep {
  if (!reset.cancelsFirst) return { type: 'reset' }
  const { ledger, reservations, policy } = scene
  return planCancelAll(reset, { inFlight: [...ledger.inFlight.values()], reservations, policy })
}

function moveCursor(reset: NonceReset, next: number, { lease, ledger }: ResetScene): Storable {
  const cancelled = reset.txIds === null ? {} : { transactions: reset.txIds.length }
  const detail = { ...nameOrder(reset), before: ledger.cursor, after: next, ...cancelled }
  const write: LaneWrite = {
    ...emptyWrite(lease),
    cursor: { expected: ledger.cursor, next },
    notes: [{ type: 'cursor.reset', cause: 'operator', detail }],
    reset: { id: reset.id, state: 'DONE', refusal: null },
  }
  return asStorable(write, { ...ledger, cursor: next, recyclable: [] })
}

function refuse(reset: NonceReset, why: string, { lease, ledger }: ResetScene): Storable {
  const notes = [{ type: 'cursor.reset_refused', cause: 'operator', detail: { ...nameOrder(reset), why } }]
  const answer = { id: reset.id, state: 'REFUSED', refusal: why } as const
  return asStorable({ ...emptyWrite(lease), notes, reset: answer }, ledger)
}

/** From here on every future owner knows the order. The next cycle applies it to the transactions. */
function beginCancelling(reset: NonceReset, txIds: readonly TxId[], { lease, ledger }: ResetScene): Storable {
  const detail = { ...nameOrder(reset), transactions: txIds.length }
  const notes = [{ type: 'lane.cancelling', cause: 'operator', detail }]
  const answer = { id: reset.id, state: 'CANCELLING', refusal: null, txIds } as const
  return asStorable({ ...emptyWrite(lease), notes, reset: answer }, ledger)
}

function nameOrder({ id, actor, reason }: NonceReset) {
  return { resetId: id, actor, reason }
}

function asStorable(write: LaneWrite, after: Ledger): Storable {
  return { toWrite: () => write, settle: () => after, changed: () => [], effects: () => [] }
}
