/** What the API key of this tab may do. The page offers only that, and says why it does not offer the rest. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ApiClient } from '../api/api-client.ts'
import { ApiProblem } from '../api/api-failure.ts'
import type { CallerResource } from '../api/api-resources.ts'

export type Scope = CallerResource['scopes'][number]

export type Rights =
  | { readonly type: 'unknown' }
  /** A service of an older release does not say. Then everything is offered, and it refuses what it does not allow. */
  | { readonly type: 'untold' }
  | { readonly type: 'known'; readonly caller: CallerResource }

export const RightsContext = createContext<Rights>({ type: 'unknown' })

export async function loadRights(api: Pick<ApiClient, 'showCaller'>): Promise<Rights> {
  try {
    return { type: 'known', caller: await api.showCaller() }
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 404) return { type: 'untold' }
    throw error
  }
}

function whyNot(rights: Rights, scope: Scope): string | null {
  return explainMissing(rights, [scope])
}

/** Which of the scopes the key lacks; null: none. */
function explainMissing(rights: Rights, scopes: readonly Scope[]): string | null {
  if (rights.type !== 'known') return null
  const { name, scopes: own } = rights.caller
  const missing = scopes.filter((scope) => !own.includes(scope))
  if (missing.length === 0) return null
  return `needs the scope ${missing.join(' or ')}. Your API key ${name} has ${own.join(', ')}.`
}

/** Null: allowed. Otherwise the end of a sentence that says why not. */
export function useWhyNot(scope: Scope): string | null {
  return whyNot(useContext(RightsContext), scope)
}

/** False also while it is not known yet: what would be refused is not even asked for. */
export function useMay(scope: Scope): boolean {
  const rights = useContext(RightsContext)
  return rights.type !== 'unknown' && whyNot(rights, scope) === null
}

/** What of a list may be offered, and why the rest is not; null: all of it is. */
export function useOffered<T>(items: readonly T[], scopeOf: (item: T) => Scope) {
  const rights = useContext(RightsContext)
  const refused = explainMissing(rights, [...new Set(items.map(scopeOf))])
  return { offered: items.filter((item) => whyNot(rights, scopeOf(item)) === null), refused }
}
