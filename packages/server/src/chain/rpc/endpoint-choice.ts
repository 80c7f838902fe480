/**
 * Which nodes are worth a try, best first. Reads stay with one node while it answers, so that successive answers come from
 * one view of the chain; they leave one that fails, limits or lags, and return to the first in the list only after that
 * one has been healthy for a while. The last node is never given up.
 *
 * With weights, they stay with one node for a turn of a minute, and nodes get turns by their weights: so each answers its
 * share, and successive answers still come from one view. A node without weight is read only if no other can be.
 */
import type { Clock } from '../../ports/clock.ts'
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

export interface ReadWeights {
  /** One for each endpoint, in order. */
  readonly weights: readonly number[]
  readonly clock: Pick<Clock, 'monotonic'>
}

const RETURN_AFTER_MS = 30_000
const TURN_MS = 60_000

export function createEndpointChoice(
  endpoints: readonly Endpoint[],
  shares: ReadWeights | null = null,
): EndpointChoice {
  const turns = shares === null ? null : createReadTurns(endpoints, shares)
  let preferred = turns?.next(() => true) ?? endpoints[0]

  function choosePreferred(): void {
    if (turns === null) returnToFirst()
    else if (turns.isOver()) preferred = turns.next((each) => each === preferred || isRested(each)) ?? preferred
  }

  function returnToFirst(): void {
    const at = preferred === undefined ? 0 : endpoints.indexOf(preferred)
    preferred = endpoints.slice(0, at).find(isRested) ?? preferred
  }

  function listResting(): readonly Endpoint[] {
    const resting = endpoints.filter((endpoint) => !endpoint.isBarred())
    return resting.sort((a, b) => a.waitMs() - b.waitMs()).slice(0, 1)
  }

  return {
    readable() {
      choosePreferred()
      const ready = endpoints.filter((endpoint) => endpoint.waitMs() === 0)
      if (ready.length === 0) return listResting()
      const inStep = ready.filter(isInStep)
      const usable = inStep.length > 0 ? inStep : ready.sort((a, b) => b.height() - a.height())
      const rankOf = (endpoint: Endpoint) => (endpoint === preferred ? 0 : turns?.isReserve(endpoint) ? 2 : 1)
      return usable.sort((a, b) => rankOf(a) - rankOf(b))
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
      // A reserve only stands in, call by call.
      if (turns?.isReserve(endpoint)) return
      if (preferred === undefined || preferred.state() !== 'healthy') preferred = endpoint
    },
  }
}

function isRested(endpoint: Endpoint): boolean {
  return endpoint.healthyMs() >= RETURN_AFTER_MS
}

/** Smooth weighted round robin: turns of a heavy node are spread out, not one after the other. */
function createReadTurns(endpoints: readonly Endpoint[], { weights, clock }: ReadWeights) {
  const weightOf = new Map(endpoints.map((endpoint, index) => [endpoint, weights[index] ?? 1]))
  const credit = new Map<Endpoint, number>()
  let startedAt = Number.NEGATIVE_INFINITY
  return {
    isOver: () => clock.monotonic() - startedAt >= TURN_MS,
    isReserve: (endpoint: Endpoint) => weightOf.get(endpoint) === 0,
    next(isFit: (endpoint: Endpoint) => boolean): Endpoint | undefined {
      startedAt = clock.monotonic()
      const fit = endpoints.filter((endpoint) => (weightOf.get(endpoint) ?? 0) > 0 && isFit(endpoint))
      let sum = 0
      for (const endpoint of fit) {
        const weight = weightOf.get(endpoint) ?? 0
        sum += weight
        credit.set(endpoint, (credit.get(endpoint) ?? 0) + weight)
      }
      const [most] = fit.toSorted((a, b) => (credit.get(b) ?? 0) - (credit.get(a) ?? 0))
      if (most !== undefined) credit.set(most, (credit.get(most) ?? 0) - sum)
      return most
    },
  }
}

function isInStep(endpoint: Endpoint): boolean {
  const state = endpoint.state()
  return state !== 'lagging' && state !== 'implausible'
}
