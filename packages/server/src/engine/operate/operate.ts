/**
 * What an operator may do to a transaction, from any node. The decision is made on a version and stored only if that is
 * still the current one. The owner of the lane then loads it again and acts. The history records who did it and why.
 */

import { AppError } from '../../core/app-error.ts'
import type { ChainView, Finality } from '../../core/chain/finality.ts'
import { finalityOfLoss } from '../../core/chain/finality-rules.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { NonceProof } from '../../core/lane/nonce-user.ts'
import { CAREFUL, type Policy } from '../../core/lane/policy.ts'
import { allowedActions, type OperatorAction } from '../../core/transaction/allowed-actions.ts'
import {
  type Intent,
  isInFlight,
  type Transaction,
  type TxId,
  type TxState,
} from '../../core/transaction/transaction.ts'
import { transition } from '../../core/transaction/transition.ts'
import type { OperatorAct, TxEvent } from '../../core/transaction/tx-event.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type LossAction, proveLoss } from '../foreign/prove-loss.ts'
import { countTransitions } from '../lane/count-transitions.ts'
import { markNonces } from '../lane/lane-draft.ts'

export type OperatorRequest = OperatorAct & {
  /** In any other state, nothing is done. */
  readonly onlyIn?: TxState
} & (
    | { readonly action: Exclude<OperatorAction, 'resolve'> }
    /** `hash`: the transaction that used the nonce; if omitted, Drover searches for it. */
    | { readonly action: 'resolve'; readonly hash?: Hash }
  )

export type Operate = (id: TxId, request: OperatorRequest) => Promise<Transaction>

interface OperatePorts {
  readonly store: Pick<Store, 'findTransaction' | 'amend'>
  readonly chains: ReadonlyMap<number, Chain>
  readonly clock: Clock
  readonly telemetry: Telemetry
  policyOf(lane: Lane): Policy | null
  finalityOf(lane: Lane): Finality
  viewOf(chainId: number): ChainView | null
}

/** If it was changed in between, read it again, a few times. */
const TRIES = 5

export function createOperate(ports: OperatePorts): Operate {
  const { store, clock, telemetry } = ports

  return async (id, request) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const tx = await store.findTransaction(id)
      if (tx === null) throw new AppError('not_found', `There is no transaction ${id}.`)
      if (request.onlyIn !== undefined && tx.state !== request.onlyIn) return tx
      const policy = ports.policyOf(tx.intent.lane) ?? CAREFUL
      const verdict = allowedActions(tx, policy)[request.action]
      if (!verdict.allowed)
        throw new AppError('action_forbidden', verdict.why, { state: tx.state, action: request.action })
      const step = transition(tx, await toEvent(tx, request), policy)
      if (step.tx === tx) return tx
      const { version, state, attempts } = tx
      const save = { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes }
      const result = await store.amend(save, markNonces(tx, step))
      if (result.type !== 'written') continue
      countTransitions(telemetry, [save])
      return { ...step.tx, version: result.version }
    }
    throw new AppError('action_forbidden', 'The transaction is changing too fast for this action. Retry.', {
      action: request.action,
    })
  }

  async function toEvent(tx: Transaction, request: OperatorRequest): Promise<TxEvent> {
    const at = clock.now()
    const by = { actor: request.actor, reason: request.reason }
    switch (request.action) {
      case 'suspend':
        return { type: 'operator.suspended', at, by }
      case 'resume':
        return { type: 'operator.resumed', at, by }
      case 'retry':
        return { type: 'operator.retried', at, by }
      case 'cancel':
        return { type: 'operator.cancelled', at, by }
      case 'resolve':
        return { type: 'operator.resolved', at, by, proof: await prove(tx, request.action, request.hash) }
      case 'requeue':
        return { type: 'operator.requeued', at, by, proof: await prove(tx, request.action) }
      case 'close':
        return { type: 'operator.closed', at, by, proof: await prove(tx, request.action) }
      case 'speed-up':
        return { type: 'operator.sped_up', at, by }
    }
  }

  async function prove(tx: Transaction, action: LossAction, hash?: Hash): Promise<NonceProof> {
    const chain = ports.chains.get(tx.intent.lane.chainId)
    const view = ports.viewOf(tx.intent.lane.chainId)
    if (chain === undefined || view === null)
      throw new AppError('chain_unavailable', 'Drover is not following the chain right now.')
    if (!isInFlight(tx)) throw new AppError('internal', 'only what has a nonce can have lost it')
    const finalityOf = ({ finality }: Pick<Intent, 'finality'>) => finality ?? ports.finalityOf(tx.intent.lane)
    return await proveLoss(chain, tx, {
      action,
      view,
      finality: finalityOfLoss(tx.intent, finalityOf),
      ...(hash && { hash }),
    })
  }
}
