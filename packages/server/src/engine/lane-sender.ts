/** Sends what a lane has stored. Its batches leave one after the other, so that its nonces reach a node in order. */
import type { InFlight } from '../core/transaction.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Broadcaster } from './broadcaster.ts'
import type { LaneSignal } from './lane-runner.ts'

interface SenderPorts {
  readonly broadcaster: Broadcaster
  readonly telemetry: Telemetry
  /** Asked at the last moment: what must not be sent any more is withheld. */
  maySend(): boolean
  post(signal: LaneSignal): void
}

export type SendInOrder = (transactions: readonly InFlight[]) => void

export function createLaneSender({ broadcaster, telemetry, maySend, post }: SenderPorts): SendInOrder {
  let sending: Promise<void> = Promise.resolve()

  return (transactions) => {
    if (transactions.length === 0) return
    const attempts = [...transactions]
      .sort((a, b) => a.nonce - b.nonce)
      .flatMap((tx) => {
        const attempt = tx.attempts.at(-1)
        return attempt === undefined ? [] : [{ txId: tx.id, raw: attempt.raw, hash: attempt.hash }]
      })
    const again = transactions.filter((tx) => tx.submitCount > 0).length
    sending = sending.then(async () => {
      const answer = await broadcaster.send({ attempts, maySend })
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
