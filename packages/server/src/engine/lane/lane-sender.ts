/**
 * Sends what a lane has stored. Its batches leave one after the other, so its nonces reach a node in order. While a
 * renewal of the lease is late, a batch is withheld. It goes out as soon as the lane may act again, or never if the
 * lane has stopped.
 */
import {
  type Attempt,
  type InFlight,
  inclusionOf,
  lacksEmpty,
  newestAttempt,
} from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pause } from '../pause.ts'
import type { Broadcast, BroadcastAnswer, Broadcaster } from './broadcaster.ts'
import type { LaneSignal } from './lane-runner.ts'

interface SenderPorts {
  readonly broadcaster: Broadcaster
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Checked at the last moment: what must not be sent now is withheld. */
  mayAct(): boolean
  hasStopped(): boolean
  post(signal: LaneSignal): void
}

const WITHHELD_MS = 250

export type SendInOrder = (transactions: readonly InFlight[]) => void

export function createLaneSender(ports: SenderPorts): SendInOrder {
  const { broadcaster, clock, telemetry, post } = ports
  let sending: Promise<void> = Promise.resolve()
  const maySend = () => !ports.hasStopped() && ports.mayAct()

  async function sendOnceAllowed(broadcast: Broadcast): Promise<BroadcastAnswer> {
    for (;;) {
      const answer = await broadcaster.send(broadcast)
      if (answer.type === 'sent' || ports.hasStopped()) return answer
      await pause(clock, WITHHELD_MS)
    }
  }

  return (asked) => {
    const transactions = asked.filter(isToBeSent)
    if (transactions.length === 0) return
    const attempts = [...transactions]
      .sort((a, b) => a.nonce - b.nonce)
      .flatMap((tx) => {
        const attempt = chooseAttempt(tx)
        return attempt === undefined
          ? []
          : [{ txId: tx.id, raw: attempt.raw, hash: attempt.hash, from: tx.intent.lane.signer }]
      })
    const again = transactions.filter((tx) => tx.submitCount > 0).length
    sending = sending.then(async () => {
      const answer = await sendOnceAllowed({ attempts, maySend })
      if (again > 0) telemetry.count('drover_resubmits_total', { result: answer.type }, again)
      if (answer.type === 'withheld') return
      post({
        type: 'answers',
        answers: attempts.flatMap(({ txId, hash }, index) => {
          const outcome = answer.outcomes[index]
          return outcome === undefined ? [] : [{ txId, hash, outcome }]
        }),
      })
    })
  }
}

/**
 * A transaction that makes way for an empty one is not sent again while the empty one is about to be signed; at the cap
 * there may never be one.
 */
function isToBeSent(tx: InFlight): boolean {
  if (tx.suspended || inclusionOf(tx) !== null) return false
  return !lacksEmpty(tx) || tx.error?.code === 'fee_above_cap'
}

/** The newest bytes. While those are refused, they alternate with the ones before, which a node may well accept. */
function chooseAttempt(tx: InFlight): Attempt | undefined {
  // A cancelled transaction is not sent again in place of its cancellation.
  const isCancel = newestAttempt(tx)?.kind === 'cancel'
  const own = tx.attempts.filter(({ nonce, kind }) => nonce === tx.nonce && (kind === 'cancel') === isCancel)
  return own.at(-1 - (tx.refusals % Math.max(1, own.length)))
}
