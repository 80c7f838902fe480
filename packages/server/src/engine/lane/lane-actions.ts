/** The third step of a cycle: acts on what was stored. Sends bytes, watches for their inclusion, raises alarms. */
import { fillsOrdered, isFill } from '../../core/transaction/fill.ts'
import { type InFlight, isTerminal, type TxId } from '../../core/transaction/transaction.ts'
import type { Storable } from '../reservations/request-draft.ts'
import type { LaneContext } from './lane-context.ts'

export interface LaneActions {
  /** The draft is stored, and the ledger matches it. */
  act(draft: Storable): void
  /** The previous owner may have stopped before it raised the alarm. */
  repeatAlarms(inFlight: readonly InFlight[]): void
}

export function createLaneActions(context: LaneContext): LaneActions {
  const { runner, ports, parts, state, fields } = context
  const { telemetry, tracker } = ports
  const { queue, requests } = parts
  const alarmed = new Set<TxId>()

  function act(draft: Storable): void {
    const changed = draft.changed()
    const toSend = new Map<TxId, InFlight>()
    const fills = new Set(changed.flatMap((tx) => (isFill(tx.intent) ? [tx.id] : [])))
    const requeued = new Set(changed.flatMap((tx) => (tx.state === 'QUEUED' ? [tx.id] : [])))
    for (const { txId, effect } of draft.effects()) {
      const tx = state.ledger?.inFlight.get(txId)
      if (effect.type === 'broadcast' && tx) toSend.set(txId, tx)
      if (effect.type === 'lookup') tracker.lookUp(txId)
      if (effect.type === 'nonce.used' && requeued.has(txId)) queue.wake()
      if (effect.type === 'nonce.freed') {
        queue.wake()
        // Another fill would be refused as well, so wait for the next block.
        if (!fills.has(txId)) queue.gapsChanged()
      }
      if (effect.type === 'alarm') raiseAlarm(txId, effect.cause)
    }
    for (const tx of changed) {
      if (isTerminal(tx) && tx.nonce !== null && fillsOrdered(tx.intent)) requests.filled(tx.nonce)
    }
    // Stopped during the write: the next owner sends, and this node no longer watches.
    if (state.stopped) return
    tracker.update(runner, changed)
    parts.send([...toSend.values()])
  }

  function raiseAlarm(txId: TxId, cause: string): void {
    alarmed.add(txId)
    telemetry.count('drover_alarms_total', { cause })
    telemetry.log('warn', 'a transaction is stuck', { ...fields, txId, cause, next: `drover tx explain ${txId}` })
    ports.onStuck(txId, () => !state.stopped)
  }

  return {
    act,
    repeatAlarms: (inFlight) => {
      for (const tx of inFlight) {
        if (tx.state === 'STUCK' && !alarmed.has(tx.id)) raiseAlarm(tx.id, tx.error?.code ?? tx.subState)
      }
    },
  }
}
