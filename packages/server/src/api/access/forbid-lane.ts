/** The error for a signer or chain that an API key may not use. */
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { checksumAddress } from '../contract/values/address.ts'

export function forbidLane({ chainId, signer }: Lane): AppError {
  const where = chainId === 0 ? '' : ` on chain ${chainId}`
  return new AppError('forbidden', `Your API key may not use ${checksumAddress(signer)}${where}.`, { field: 'from' })
}
