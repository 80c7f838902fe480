/**
 * The API key of the user. The page asks for it when the service refuses a request without one, sends it with every
 * request from then on, and keeps it only for this tab: closing the tab forgets the key.
 */

export type KeyStatus =
  | { readonly type: 'settled' }
  /** `reason`: why the one that was given will not do; null where there was none. */
  | { readonly type: 'needed'; readonly reason: string | null }

export interface KeyHolder {
  readonly fetch: typeof fetch
  give(key: string): void
  /** Asks for another one. */
  forget(): void
  /** Grows with every key that is given. */
  version(): number
  status(): KeyStatus
  onStatus(listener: (status: KeyStatus) => void): () => void
}

interface KeyHolderPorts {
  readonly fetch: typeof fetch
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

const NAME = 'drover.apiKey'
const SETTLED: KeyStatus = { type: 'settled' }

export function createKeyHolder(ports: KeyHolderPorts): KeyHolder {
  const listeners = new Set<(status: KeyStatus) => void>()
  let key = ports.storage.getItem(NAME)
  let status = SETTLED
  let version = 0

  function setStatus(next: KeyStatus): void {
    status = next
    for (const listener of listeners) listener(next)
  }

  async function refuse(response: Response, used: string | null): Promise<void> {
    const reason = used === null ? null : await readDetail(response.clone())
    // An answer to a key that was replaced meanwhile says nothing about the new one.
    if (used !== key) return
    key = null
    ports.storage.removeItem(NAME)
    setStatus({ type: 'needed', reason: reason ?? (status.type === 'needed' ? status.reason : null) })
  }

  return {
    fetch: async (input, init) => {
      const used = key
      const headers = new Headers(init?.headers)
      if (used !== null) headers.set('authorization', `Bearer ${used}`)
      const response = await ports.fetch(input, { ...init, headers })
      if (response.status === 401) await refuse(response, used)
      return response
    },
    version: () => version,
    forget() {
      key = null
      ports.storage.removeItem(NAME)
      setStatus({ type: 'needed', reason: null })
    },
    give(text) {
      version += 1
      key = text.trim()
      ports.storage.setItem(NAME, key)
      setStatus(SETTLED)
    },
    status: () => status,
    onStatus(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

async function readDetail(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => null)
  const isProblem = typeof problem === 'object' && problem !== null && 'detail' in problem
  return isProblem ? String(problem.detail) : 'The API key was rejected.'
}
