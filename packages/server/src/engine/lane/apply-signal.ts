/** What a signal says about single transactions, as events of their state machine. */

import type { ChainTime } from '../../core/chain/chain-time.ts'
import { awaitsApproval } from '../../core/transaction/await-approval.ts'
import type { Queued, TxId } from '../../core/transaction/transaction.ts'
import type { TxEvent } from '../../core/transaction/tx-event.ts'
import type { LaneDraft } from './lane-draft.ts'
import type { LaneSignal } from './lane-runner.ts'

export function applySignal(draft: LaneDraft, signal: LaneSignal, at: number): void {
  const apply = (id: TxId, event: TxEvent) => {
    const tx = draft.current(id)
    if (tx) draft.apply(tx, event)
  }
  switch (signal.type) {
    case 'answers':
      for (const { txId, hash, outcome } of signal.answers)
        apply(txId, { type: 'broadcast.answered', at, hash, outcome })
      return
    case 'inclusions':
      for (const { txId, inclusion } of signal.inclusions) apply(txId, { type: 'inclusion.seen', at, inclusion })
      return
    case 'preconfirmed': {
      const { hash, blockNumber, succeeded } = signal
      apply(signal.txId, { type: 'preconfirmation.seen', at, hash, blockNumber, succeeded })
      return
    }
    case 'preconfirmation.lost':
      apply(signal.txId, { type: 'preconfirmation.lost', at, blockNumber: signal.blockNumber })
      return
    case 'withdrawn':
      apply(signal.txId, { type: 'inclusion.reorged', at, blockHash: signal.blockHash })
      return
    case 'deep': {
      const { blockHash, confirmations } = signal
      apply(signal.txId, { type: 'finality.reached', at, blockHash, confirmations })
      return
    }
    case 'nonce.lost':
      apply(signal.txId, { type: 'nonce.lost', at, proof: signal.proof })
      return
    case 'expired':
      // Still in the queue, which the ledger does not hold.
      for (const tx of signal.transactions) draft.apply(tx, timeEventOf(tx, at, signal.chain))
  }
}

/** Its own deadline goes first. */
function timeEventOf(tx: Queued, at: number, chain: ChainTime | undefined): TxEvent {
  const isLate = tx.intent.validUntil !== null && tx.intent.validUntil <= at
  if (!isLate && tx.subState === 'scheduled' && chain !== undefined) return { type: 'schedule.reached', at, chain }
  return { type: !isLate && awaitsApproval(tx) ? 'approval.expired' : 'deadline.passed', at }
}
