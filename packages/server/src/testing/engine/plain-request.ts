/** A request with every field at its plainest; a test changes what it is about. */
import type { Address } from '../../core/hex.ts'
import type { AcceptRequest } from '../../engine/accept/accept-request.ts'

export function plainRequest(from: Address, to: Address): AcceptRequest {
  return {
    chainId: 1,
    from,
    to,
    data: '0x',
    value: 0n,
    gasLimit: null,
    fees: null,
    speed: null,
    priority: null,
    validUntil: null,
    requestId: null,
    finality: null,
    simulate: null,
    metadata: {},
  }
}
