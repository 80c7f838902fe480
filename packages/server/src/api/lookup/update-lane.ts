/** Stores a change to a signer on one chain and presents the lane after it. */
import { AppError } from '../../core/app-error.ts'
import type { HistoryNote } from '../../core/transaction/tx-event.ts'
import type { LaneStatus, Store } from '../../ports/store.ts'
import type { ApiServices } from '../api-services.ts'
import type { LaneResource } from '../contract/resources/signer-resource.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { presentLane } from '../present/present-lane.ts'

type Change = Parameters<Store['updateSigner']>[1]

export async function updateLane(
  services: Pick<
    ApiServices,
    'store' | 'telemetry' | 'silentNodes' | 'ownKeys' | 'applySigners' | 'nodeId' | 'sendEndpointsOf'
  >,
  status: LaneStatus,
  change: Change,
  note: HistoryNote,
): Promise<LaneResource> {
  const { store, telemetry } = services
  const { lane } = status.signer
  const signer = await store.updateSigner(lane, change, note)
  if (signer === null) {
    throw new AppError('not_found', `${checksumAddress(lane.signer)} is no longer registered on chain ${lane.chainId}.`)
  }
  // Whoever gets the answer may rely on it: this node acts on the old policy no longer.
  await services.applySigners()
  telemetry.log('info', 'signer changed', { chainId: lane.chainId, signer: lane.signer, ...note.detail })
  return presentLane({ ...status, signer }, services)
}
