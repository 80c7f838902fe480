/**
 * A transport for viem's clients. It is made with viem's own `custom`, which the caller hands in: so this package does not
 * depend on viem, there is one copy of it, and errors are of viem's classes, by which it decodes reverts.
 */
import { createProvider, type Provider, type ProviderOptions } from '../eip1193/create-provider.ts'

/** As much as is needed of viem's `custom`, of any version 2. */
type Custom<T> = (provider: Pick<Provider, 'request'>, config: TransportConfig) => T

interface TransportConfig {
  readonly key: string
  readonly name: string
  readonly retryCount: number
}

export interface DroverTransportOptions<T> extends ProviderOptions {
  /** `import { custom } from 'viem'`. */
  readonly custom: Custom<T>
}

type TransportParameters = { readonly chain?: { readonly id: number } | undefined }
type AnyTransport = (parameters: never) => unknown

/** The chain is that of viem's client, unless `chainId` says otherwise. */
export function drover<T extends AnyTransport>({ custom, ...options }: DroverTransportOptions<T>): T {
  const transport = (parameters: TransportParameters) => {
    const chainId = options.chainId ?? parameters.chain?.id
    const provider = createProvider({ ...options, ...(chainId !== undefined && { chainId }) })
    // The provider repeats what is safe to repeat, and knows better what that is.
    const made = custom(provider, { key: 'drover', name: 'Drover', retryCount: 0 })
    return made(parameters as never)
  }
  // It takes and gives what viem's own does, since that is what it calls.
  return transport as unknown as T
}
