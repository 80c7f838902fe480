/** Listeners of a provider: `connect` when the service answers, `disconnect` when it has not answered for all tries. */
import type { ProviderRpcError } from './provider-rpc-error.ts'

/** The chain of a provider is fixed and HTTP pushes nothing, so that the last three never happen; they may be listened to. */
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
        // Later, and by itself: what a listener throws is not the failure of the request that it is told of.
        queueMicrotask(() => (listener as ProviderListener<typeof event>)(detail))
      }
    },
  }
}
