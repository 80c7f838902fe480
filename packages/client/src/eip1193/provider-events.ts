/** Listeners of a provider: `connect` when the service answers, `disconnect` when every try failed. */
import type { ProviderRpcError } from './provider-rpc-error.ts'

/**
 * The chain of a provider is fixed and HTTP pushes nothing, so the last three never happen. Listening to them is
 * allowed.
 */
export interface ProviderEventMap {
  readonly connect: { readonly chainId: string }
  readonly disconnect: ProviderRpcError
  readonly chainChanged: string
  readonly accountsChanged: readonly string[]
  readonly message: { readonly type: string; readonly data: unknown }
}

export type ProviderEvent = keyof ProviderEventMap
export type ProviderListener<E extends ProviderEvent> = (event: ProviderEventMap[E]) => void

export interface ProviderEvents {
  on<E extends ProviderEvent>(event: E, listener: ProviderListener<E>): void
  removeListener<E extends ProviderEvent>(event: E, listener: ProviderListener<E>): void
  emit<E extends ProviderEvent>(event: E, detail: ProviderEventMap[E]): void
}

export function createProviderEvents(): ProviderEvents {
  const listeners = new Map<ProviderEvent, Set<(detail: never) => void>>()
  return {
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener)
    },
    emit(event, detail) {
      for (const listener of listeners.get(event) ?? []) {
        // Later and separately: an error thrown by a listener must not fail the request that it hears about.
        queueMicrotask(() => (listener as ProviderListener<typeof event>)(detail))
      }
    },
  }
}
