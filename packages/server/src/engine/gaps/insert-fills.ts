/** Puts the lane's own empty transactions at the head of its queue, one for each gap that nothing else closes. */

import type { Lane } from '../../core/lane/lane.ts'
import { FILL_PRIORITY } from '../../core/transaction/fill.ts'
import type { Intent, Queued } from '../../core/transaction/transaction.ts'
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { type AcceptRequest, formIntent } from '../accept/accept-request.ts'

interface FillPorts {
  readonly store: Pick<Store, 'insertTransactions'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
}

interface FillOptions {
  readonly by?: OperatorAct | null
  /** Only for these nonces, which were taken from their holders. */
  readonly isOrdered?: boolean
}

/**
 * Fills are accepted like any other transaction and take the lowest free nonce when their turn comes, so a crash in
 * between leaves nothing but a queued fill. The nonces are reported for people only: a fill that no longer finds a gap
 * is dropped.
 */
export async function insertFills(
  { store, clock, random }: FillPorts,
  lane: Lane,
  nonces: readonly number[],
  { by = null, isOrdered = false }: FillOptions = {},
): Promise<readonly Queued[]> {
  const outcomes = await store.insertTransactions(
    nonces.map((nonce) => ({ id: random.id(clock.now()), intent: composeFill(lane, nonce, by, isOrdered) })),
  )
  return outcomes.flatMap((outcome) => (outcome.type === 'inserted' ? [outcome.transaction] : []))
}

function composeFill(lane: Lane, nonce: number, by: OperatorAct | null, isOrdered: boolean): Intent {
  const request: AcceptRequest = {
    chainId: lane.chainId,
    from: lane.signer,
    to: lane.signer,
    data: '0x',
    value: 0n,
    gasLimit: null,
    fees: null,
    speed: null,
    priority: FILL_PRIORITY,
    validUntil: null,
    requestId: null,
    finality: null,
    simulate: false,
    metadata: { purpose: 'gap_fill', nonce: String(nonce), ...by },
    ...(isOrdered && { exactNonce: nonce }),
  }
  return formIntent(request, lane, { speed: 'fast', simulate: false })
}
