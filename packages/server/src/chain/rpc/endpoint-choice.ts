/**
 * Which nodes are worth a try, best first. Reads stay with one node while it answers, so that successive answers come from
 * one view of the chain; they leave one that fails, limits or lags, and return to the first in the list only after that
 * one has been healthy for a while. The last node is never given up.
 */
import type { Endpoint } from './endpoint.ts'

export interface EndpointChoice {
  /** For reads. If all are failing, the one that has rested longest. */
  readable(): readonly Endpoint[]
  /** For broadcasts: also lagging and rate-limited nodes. */
  sendable(): readonly Endpoint[]
  /** A rate-limited node that can be waited for: the one that is free soonest. */
  findLimited(): Endpoint | null
  noteServed(endpoint: Endpoint): void
}

const RETURN_AFTER_MS = 30_000

export function createEndpointChoice(endpoints: readonly Endpoint[]): EndpointChoice {
  let preferred = endpoints[0]

  function returnToFirst(): void {
    const at = preferred === undefined ? 0 : endpoints.indexOf(preferred)
    preferred = endpoints.slice(0, at).find((endpoint) => endpoint.healthyMs() >= RETURN_AFTER_MS) ?? preferred
  }

  function listResting(): readonly Endpoint[] {
    const resting = endpoints.filter((endpoint) => !endpoint.isBarred())
    return resting.sort((a, b) => a.waitMs() - b.waitMs()).slice(0, 1)
  }

  return {
    readable() {
      returnToFirst()
      const ready = endpoints.filter((endpoint) => endpoint.waitMs() === 0)
      if (ready.length === 0) return listResting()
      const inStep = ready.filter(isInStep)
      const usable = inStep.length > 0 ? inStep : ready.sort((a, b) => b.height() - a.height())
      return usable.sort((a, b) => Number(b === preferred) - Number(a === preferred))
    },
    sendable() {
      const targets = endpoints.filter((endpoint) => endpoint.waitMs() === 0 || endpoint.state() === 'rate_limited')
      return targets.length > 0 ? targets : listResting()
    },
    findLimited() {
      const limited = endpoints.filter((endpoint) => endpoint.isBusy() && !endpoint.isBarred())
      const usable = limited.filter((endpoint) => endpoint.state() !== 'failing' && isInStep(endpoint))
      const [soonest] = (usable.length > 0 ? usable : limited).sort((a, b) => a.waitMs() - b.waitMs())
      return soonest ?? null
    },
    noteServed(endpoint) {
      if (preferred === undefined || preferred.state() !== 'healthy') preferred = endpoint
    },
  }
}

function isInStep(endpoint: Endpoint): boolean {
  const state = endpoint.state()
  return state !== 'lagging' && state !== 'implausible'
}
