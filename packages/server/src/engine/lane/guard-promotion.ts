/**
 * After a promotion of the database, before a lane gives out its next nonce: is the chain past the cursor?
 *
 * A standby that was promoted without the last writes of the old primary has forgotten nonces that were given out, and
 * perhaps mined. What still waits in the queue may have been executed, so continuing by the chain's count would execute it
 * again. Only a person can tell, from the chain and from other records: the signer is paused, as after a restore.
 */
import { StoreUnavailable } from '../../ports/store.ts'
import type { LaneContext } from './lane-context.ts'

interface PromotedLane {
  readonly cursor: number | null
  readonly isPromotedSince?: true
}

/** Whether the database lost writes of this lane. Throws if the chain or the database does not respond. */
export async function guardPromotion(
  context: LaneContext,
  { cursor, isPromotedSince }: PromotedLane,
): Promise<boolean> {
  const { ports, runner, state, fields } = context
  if (isPromotedSince === undefined || cursor === null) return false
  const { lane } = runner.lease
  const { latest, pending } = await ports.chain.getCounts(lane.signer)
  const count = Math.max(latest, pending)
  if (count <= cursor) return false
  // Told once; afterwards it is the operator who decides when it goes on.
  if (state.isBehindChain || ports.isPaused()) return true
  const detail = { action: 'pause', nextNonce: cursor, latest, pending, by: count - cursor }
  const paused = await ports.store.updateSigner(
    lane,
    { paused: true },
    { type: 'signer.paused', cause: 'lost_writes', detail },
  )
  if (paused === null) throw new StoreUnavailable('the signer was removed')
  ports.telemetry.count('drover_alarms_total', { cause: 'lost_writes' })
  ports.telemetry.log('error', MESSAGE, { ...fields, ...detail, next: NEXT })
  return true
}

const MESSAGE =
  'the database was promoted from a standby that lacked the last writes: transactions of a signer are on chain that it does not know; the signer is paused'
const NEXT = 'docs/backup.md#restore, from step 4: compare, cancel what was executed, set the nonce, resume'
