/** Takes one signal into a cycle: moves the transactions it is about, and notifies the parts that it concerns. */
import type { ChainView } from '../../core/chain/finality.ts'
import { noteFinalReorg } from '../follow/final-reorg.ts'
import { applySignal } from './apply-signal.ts'
import type { LaneContext } from './lane-context.ts'
import type { LaneDraft } from './lane-draft.ts'
import { hasGap } from './lane-room.ts'
import type { LaneSignal } from './lane-runner.ts'

export type TakeSignal = (signal: LaneSignal, draft: LaneDraft) => void

export function createSignalIntake(
  context: LaneContext,
  assess: (draft: LaneDraft, view: ChainView, forkFrom: number | null) => void,
): TakeSignal {
  const { ports, parts, state } = context
  const { funds, queue, requests, window } = parts

  function takeBlocks(signal: Extract<LaneSignal, { type: 'chain' }>, draft: LaneDraft): void {
    const { view, forkFrom, added = [] } = signal
    state.view = view
    assess(draft, view, forkFrom)
    // Blocks that replaced others prove nothing about what they left out.
    window.passed(draft, forkFrom === null ? added : [], context.scene())
    funds.watch(draft, context.headNumber())
    // The state before this block, which may have ended the last of it.
    const isBusy = (state.ledger?.inFlight.size ?? 0) + requests.held().length > 0
    parts.counts.look(context.headNumber(), isBusy || state.isBehindChain)
    // Whether a free nonce can be used, or must be filled, may change with every block.
    queue.gapsChanged()
    if (state.ledger !== null && hasGap(state.ledger, context.reserved())) queue.wake()
  }

  return (signal, draft) => {
    const at = ports.clock.now()
    applySignal(draft, signal, at)
    switch (signal.type) {
      case 'work':
      case 'nonce.lost':
        // What lost its nonce may be back in the queue.
        queue.wake()
        return
      case 'amended':
        // What the queue waited for may have been cancelled.
        funds.left(signal.txIds)
        queue.goOn()
        return
      case 'policy.changed':
        // A transaction that waited for a policy, such as a cap on fees, need not wait for its next try.
        funds.retryAll()
        queue.goOn()
        return
      case 'keys.changed':
        queue.keyAnswers()
        return
      case 'answers':
        window.answered(draft, signal.answers, context.scene())
        return
      case 'expired':
        // The queue may have waited for it.
        funds.left(signal.transactions.map(({ id }) => id))
        queue.goOn()
        return
      case 'inclusions':
        funds.paid(draft, signal.inclusions)
        queue.predecessorMined()
        return
      case 'balance.due':
        funds.due()
        return
      case 'chain':
        takeBlocks(signal, draft)
        return
      case 'prepared':
        queue.passed()
        state.prepared = signal
        if (signal.heldUntil !== null) queue.hold(signal.heldUntil)
        return
      case 'health':
        parts.healthNotes.take(signal.health)
        if (signal.health.state === 'ok') queue.nodeAnswers()
        return
      case 'finality.broken': {
        const note = noteFinalReorg(signal.reorg, context.runner.lease.lane)
        if (note !== null) draft.note(note)
        return
      }
      case 'prepare.failed':
        queue.passed()
        queue.hold(at + ports.settings.prepareRetryMs)
    }
  }
}
