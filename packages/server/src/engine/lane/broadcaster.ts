/**
 * Sends bytes in batches. Bytes that several lanes send within a few milliseconds leave as one batch, each lane's
 * nonces in order. A lane whose lease deadline has passed sends nothing: the check is made at the moment of sending.
 */

import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Chain, RawBytes } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { pause } from '../pause.ts'

export interface Broadcast {
  /** In nonce order. */
  readonly attempts: readonly RawBytes[]
  /** Checked right before sending; false means that another node may hold the lease by now. */
  readonly maySend: () => boolean
}

export type BroadcastAnswer =
  | { readonly type: 'sent'; readonly outcomes: readonly SendOutcome[] }
  | { readonly type: 'withheld' }

export interface Broadcaster {
  send(broadcast: Broadcast): Promise<BroadcastAnswer>
}

interface Waiting {
  readonly broadcast: Broadcast
  readonly resolve: (answer: BroadcastAnswer) => void
}

const LINGER_MS = 2
const BATCH_LIMIT = 100

export function createBroadcaster(ports: {
  readonly chain: Chain
  readonly clock: Clock
  readonly telemetry: Telemetry
}): Broadcaster {
  const { chain, clock, telemetry } = ports
  let waiting: Waiting[] = []
  let scheduled = false

  async function flushSoon(): Promise<void> {
    await pause(clock, LINGER_MS)
    scheduled = false
    const taken = waiting
    waiting = []
    const batches: Waiting[][] = []
    let size = Number.POSITIVE_INFINITY
    for (const item of taken) {
      if (size + item.broadcast.attempts.length > BATCH_LIMIT) {
        batches.push([])
        size = 0
      }
      batches.at(-1)?.push(item)
      size += item.broadcast.attempts.length
    }
    await Promise.all(batches.map(sendBatch))
  }

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    const going: Waiting[] = []
    for (const item of batch) {
      if (item.broadcast.maySend()) going.push(item)
      else {
        telemetry.count('drover_fence_refusals_total', { operation: 'broadcast' })
        item.resolve({ type: 'withheld' })
      }
    }
    if (going.length === 0) return
    const outcomes = await broadcast(going.flatMap((item) => item.broadcast.attempts))
    let offset = 0
    for (const item of going) {
      const end = offset + item.broadcast.attempts.length
      item.resolve({ type: 'sent', outcomes: outcomes.slice(offset, end) })
      offset = end
    }
    countOutcomes(outcomes)
  }

  function countOutcomes(outcomes: readonly SendOutcome[]): void {
    const counts = new Map<SendOutcome['type'], number>()
    for (const { type } of outcomes) counts.set(type, (counts.get(type) ?? 0) + 1)
    for (const [outcome, count] of counts) telemetry.count('drover_broadcasts_total', { outcome }, count)
  }

  /** A lane waits for its answer before it sends again, so there must be one even if the adapter throws: maybe sent. */
  async function broadcast(attempts: Broadcast['attempts']): Promise<readonly SendOutcome[]> {
    try {
      return await chain.broadcast(attempts)
    } catch (error) {
      telemetry.log('error', 'broadcast failed; the transaction may or may not have been sent', {
        chainId: chain.chainId,
        error,
      })
      return attempts.map(() => ({ type: 'ambiguous', message: 'the broadcast failed before an answer arrived' }))
    }
  }

  return {
    send: (wanted) =>
      new Promise((resolve) => {
        waiting.push({ broadcast: wanted, resolve })
        if (scheduled) return
        scheduled = true
        void flushSoon()
      }),
  }
}
