/** A signer of the service as an account of viem: what it sends is signed by the service, not here. */

export interface DroverAccount {
  readonly address: `0x${string}`
  readonly type: 'json-rpc'
}

export function toDroverAccount(address: `0x${string}`): DroverAccount {
  return { address, type: 'json-rpc' }
}
