/** A named API key approves or refuses a transaction that waits for approval. Works on any node, like operator actions. */
import { actorOf, type Caller, keyIdOfActor } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { CAREFUL } from '../../core/lane/policy.ts'
import { whyNotVoter, withoutVotes } from '../../core/rules/approval.ts'
import { awaitsApproval } from '../../core/transaction/await-approval.ts'
import type { Transaction, TxId } from '../../core/transaction/transaction.ts'
import { transition } from '../../core/transaction/transition.ts'
import type { TxEvent } from '../../core/transaction/tx-event.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { countTransitions } from '../lane/count-transitions.ts'

export interface ApprovalDecision {
  readonly verdict: 'approve' | 'reject'
  readonly reason: string
  readonly caller: Pick<Caller, 'keyId' | 'name'>
}

export type DecideApproval = (id: TxId, decision: ApprovalDecision) => Promise<Transaction>

interface DecidePorts {
  readonly keys: Pick<AccessStore, 'findKeys'>
  readonly store: Pick<Store, 'findTransaction' | 'readHistory' | 'amend'>
  readonly clock: Pick<Clock, 'now'>
  readonly telemetry: Telemetry
}

/** If it was changed in between, read it again, a few times. */
const TRIES = 5

export function createDecideApproval({ keys, store, clock, telemetry }: DecidePorts): DecideApproval {
  return async (id, decision) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const tx = await store.findTransaction(id)
      if (tx === null) throw new AppError('not_found', `There is no transaction ${id}.`)
      const event = toEvent(tx, decision, await findSender(tx), await findRevoked(tx))
      const step = transition(tx, event, CAREFUL)
      if (step.tx === tx) throw notWaiting(tx, decision)
      const { version, state, attempts } = tx
      const save = { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes }
      const result = await store.amend(save, [])
      if (result.type !== 'written') continue
      countTransitions(telemetry, [save])
      return { ...step.tx, version: result.version }
    }
    const message = 'The transaction is changing too fast for this. Retry.'
    throw new AppError('action_forbidden', message, { action: decision.verdict })
  }

  function toEvent(
    tx: Transaction,
    { verdict, reason, caller }: ApprovalDecision,
    sender: { readonly keyId: string | null; readonly name: string | null },
    revoked: readonly string[],
  ): TxEvent {
    if (tx.approval === undefined || !awaitsApproval(tx)) throw notWaiting(tx, { verdict })
    const why = whyNotVoter(withoutVotes(tx.approval, revoked), caller, sender)
    if (why !== null || caller.keyId === null)
      throw new AppError('forbidden', why ?? 'An approval needs an API key.', { action: verdict })
    const at = clock.now()
    if (verdict === 'reject') return { type: 'approval.refused', at, by: { actor: actorOf(caller), reason } }
    if (at >= tx.approval.expiresAt)
      throw new AppError('action_forbidden', 'The time to approve it has passed.', { action: verdict })
    const vote = { keyId: caller.keyId, name: caller.name, at, reason }
    return { type: 'approval.given', at, vote, ...(revoked.length > 0 && { revoked }) }
  }

  /** Keys that approved it and were revoked since. One that merely expired did approve it. */
  async function findRevoked({ approval }: Transaction): Promise<readonly string[]> {
    const voted = (approval?.votes ?? []).map(({ keyId }) => keyId)
    if (voted.length === 0) return []
    const found = (await keys.findKeys(voted)).keys
    return voted.filter((_, index) => found[index]?.revokedAt !== null)
  }

  /** The first entry of the history names the sender: another key of the same name is the same person. */
  async function findSender(tx: Transaction): Promise<{ keyId: string | null; name: string | null }> {
    const [first] = await store.readHistory(tx.id, { order: 'asc', after: null, limit: 1 })
    const by = first?.detail.by
    const name = typeof by === 'string' && keyIdOfActor(by) !== null ? by.slice(0, by.lastIndexOf(' (')) : null
    return { keyId: tx.keyId ?? null, name }
  }
}

function notWaiting(tx: Transaction, { verdict }: Pick<ApprovalDecision, 'verdict'>): AppError {
  const message = `It does not wait for approval: it is ${tx.state} (${tx.subState}).`
  return new AppError('action_forbidden', message, { state: tx.state, action: verdict })
}
