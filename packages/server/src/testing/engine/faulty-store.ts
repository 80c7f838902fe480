/** A store that counts its calls and fails them as a test decides: before they were done, or after, so that only the answer is lost. */
import { type Store, StoreUnavailable } from '../../ports/store.ts'

export type StoreFault =
  /** Nothing was done. */
  | 'unavailable'
  /** It was done; nobody says so. */
  | 'answer_lost'

export type StoreCall = Exclude<keyof Store, 'listen' | 'close'>

export interface FaultyStore extends Store {
  setFault(decide: ((call: StoreCall) => StoreFault | null) | null): void
  /** How often each call was made. */
  readonly calls: ReadonlyMap<string, number>
}

export function createFaultyStore(store: Store): FaultyStore {
  const calls = new Map<string, number>()
  let fault: ((call: StoreCall) => StoreFault | null) | null = null
  const setFault: FaultyStore['setFault'] = (decide) => {
    fault = decide
  }

  const withFaults = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'listen' || name === 'close') return target[name]
      const call = target[name] as (...args: readonly unknown[]) => Promise<unknown>
      return async (...args: readonly unknown[]) => {
        calls.set(name, (calls.get(name) ?? 0) + 1)
        const found = fault?.(name) ?? null
        if (found === 'unavailable') throw new StoreUnavailable(`${name}: not reached`)
        const answer = await call(...args)
        if (found === 'answer_lost') throw new StoreUnavailable(`${name}: the answer was lost`)
        return answer
      }
    },
  })
  const names = Object.keys(store) as (keyof Store)[]
  const wrapped = Object.fromEntries(names.map((name) => [name, withFaults[name]])) as unknown as Store
  return { ...wrapped, setFault, calls }
}
