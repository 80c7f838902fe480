/** Finds the lanes of a signer on the chains that this service follows. */
import { AppError } from '../../core/app-error.ts'
import type { Address } from '../../core/hex.ts'
import type { LaneStatus } from '../../ports/store.ts'
import type { ApiServices } from '../api-services.ts'
import { checksumAddress } from '../contract/values/address.ts'

type Services = Pick<ApiServices, 'store' | 'chainStatus'>

/** Never empty. */
export async function getLanes(services: Services, signer: Address): Promise<readonly LaneStatus[]> {
  const asked = services.chainStatus().map(({ chainId }) => ({ chainId, signer }))
  const listed = await Promise.all(asked.map((lane) => services.store.listLaneStatus({ lane })))
  const found = listed.flat().filter((status) => status.signer.removedAt === undefined)
  if (found.length > 0) return found
  throw new AppError('not_found', `${checksumAddress(signer)} is not a registered signer.`, { field: 'address' })
}

/** The lane the caller means. The chain must be named only if there are several. */
export async function getLane(services: Services, signer: Address, chainId: number | undefined): Promise<LaneStatus> {
  const lanes = await getLanes(services, signer)
  const chainIds = lanes.map((status) => status.signer.lane.chainId).join(', ')
  const meant = chainId === undefined ? lanes : lanes.filter((status) => status.signer.lane.chainId === chainId)
  const [lane, ...others] = meant
  if (lane === undefined) {
    const message = `${checksumAddress(signer)} is not registered on chain ${chainId}, only on ${chainIds}.`
    throw new AppError('not_found', message, { field: 'chainId' })
  }
  if (others.length === 0) return lane
  const message = `chainId is required because ${checksumAddress(signer)} is registered on several chains (${chainIds}).`
  throw new AppError('invalid_request', message, { field: 'chainId' })
}
