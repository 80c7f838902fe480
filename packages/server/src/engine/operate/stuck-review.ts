/**
 * The one place that decides what happens to a STUCK transaction. Without a hook the answer is always to wait: the
 * alarm was raised, the transaction is still watched and its bytes are still sent. With a hook, Drover asks it when the
 * transaction gets stuck and then from time to time. Its decision is carried out exactly as if an operator had ordered
 * it, bound to the version that was judged, with the hook's reason in the history. A hook that fails is asked again
 * later.
 */

import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { CAREFUL, type Policy } from '../../core/lane/policy.ts'
import { allowedActions, OPERATOR_ACTIONS } from '../../core/transaction/allowed-actions.ts'
import type { Stuck, TxId } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { StuckDecision, StuckHook, StuckQuestion } from '../../ports/stuck-hook.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Operate, OperatorRequest } from './operate.ts'

export interface StuckReview {
  /** A transaction of a lane that this node runs is stuck; `isOurs` says whether the lane still runs here. */
  notice(txId: TxId, isOurs: () => boolean): void
  stop(): void
}

interface StuckReviewPorts {
  readonly store: Pick<Store, 'findTransaction'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly operate: Operate
  /** Null: always wait. */
  readonly hook: StuckHook | null
  readonly intervalMs: number
  policyOf(lane: Lane): Policy | null
}

export function createStuckReview(ports: StuckReviewPorts): StuckReview {
  const { store, clock, telemetry, hook } = ports
  const waiting = new Map<TxId, () => void>()
  let stopped = false

  function notice(txId: TxId, isOurs: () => boolean): void {
    if (hook === null || stopped || waiting.has(txId)) return
    schedule(hook, txId, isOurs, 0)
  }

  function schedule(asked: StuckHook, txId: TxId, isOurs: () => boolean, delayMs: number): void {
    waiting.set(
      txId,
      clock.schedule(delayMs, () => {
        review(asked, txId, isOurs).then(
          (again) => {
            if (again && !stopped) schedule(asked, txId, isOurs, ports.intervalMs)
            else waiting.delete(txId)
          },
          (error: unknown) => {
            telemetry.log('warn', 'could not review a stuck transaction; retrying', { txId, error })
            if (!stopped) schedule(asked, txId, isOurs, ports.intervalMs)
          },
        )
      }),
    )
  }

  /** False once there is nothing left to decide here. */
  async function review(asked: StuckHook, txId: TxId, isOurs: () => boolean): Promise<boolean> {
    if (!isOurs()) return false
    const tx = await store.findTransaction(txId)
    if (tx?.state !== 'STUCK') return false
    const decision = await asked.decide(describe(tx, ports.policyOf(tx.intent.lane) ?? CAREFUL))
    telemetry.count('drover_stuck_decisions_total', { action: decision.action, cause: tx.subState })
    if (decision.action === 'wait') return true
    try {
      await ports.operate(txId, toRequest(decision))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      telemetry.log('warn', 'the decision of the stuck hook cannot be carried out', {
        txId,
        action: decision.action,
        why: error.message,
      })
    }
    return true
  }

  return {
    notice,
    stop: () => {
      stopped = true
      for (const cancel of waiting.values()) cancel()
      waiting.clear()
    },
  }
}

function describe(tx: Stuck, policy: Policy): StuckQuestion {
  const { lane, to, requestId, metadata } = tx.intent
  const verdicts = allowedActions(tx, policy)
  return {
    transactionId: tx.id,
    chainId: lane.chainId,
    from: lane.signer,
    to,
    nonce: tx.nonce,
    hashes: tx.attempts.map((attempt) => attempt.hash),
    cause: tx.error?.code ?? tx.subState,
    message: tx.error?.message ?? '',
    stuckSince: new Date(tx.stuckAt).toISOString(),
    requestId,
    metadata,
    allowed: OPERATOR_ACTIONS.filter((action) => verdicts[action].allowed),
  }
}

function toRequest(decision: Exclude<StuckDecision, { action: 'wait' }>): OperatorRequest {
  const by = { actor: 'stuck-hook', reason: decision.reason }
  switch (decision.action) {
    case 'resolve':
      return { ...by, action: 'resolve', ...(decision.hash !== undefined && { hash: decision.hash }) }
    case 'bump':
      return { ...by, action: 'speed-up' }
    default:
      return { ...by, action: decision.action }
  }
}
