/** Notes since when requests get no good answer. */

export interface Reach {
  readonly fetch: typeof fetch
  /** Null: the last request was answered, or none was made yet. */
  lostSince(): number | null
}

interface ReachPorts {
  readonly fetch: typeof fetch
  now(): number
}

export function createReach(ports: ReachPorts): Reach {
  let lostSince: number | null = null
  const lose = () => {
    lostSince ??= ports.now()
  }
  return {
    lostSince: () => lostSince,
    fetch: async (input, init) => {
      try {
        const response = await ports.fetch(input, init)
        if (response.ok) lostSince = null
        else lose()
        return response
      } catch (error) {
        // A request that the page itself ended says nothing.
        if (init?.signal?.aborted !== true) lose()
        throw error
      }
    },
  }
}
