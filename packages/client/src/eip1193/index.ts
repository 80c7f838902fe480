/** An EIP-1193 provider for ethers, viem, web3 and any other library that accepts one. */
export {
  createProvider,
  type Provider,
  type ProviderOptions,
  type RequestArguments,
  type RequestOptions,
} from './create-provider.ts'
export type { ProviderEvent, ProviderEventMap, ProviderListener } from './provider-events.ts'
export { ProviderRpcError } from './provider-rpc-error.ts'
