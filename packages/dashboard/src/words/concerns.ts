/** What needs a person's eye now, worst first. An empty list means that all is well as far as the service can tell. */
import type { ChainResource, EndpointResource, LaneResource, Readiness } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { shortenAddress } from '../format/shorten.ts'
import { formHash } from '../pages/route.ts'
import { describeDrift } from './drift.ts'
import { nameEndpointState } from './endpoint-states.ts'

export interface Concern {
  readonly level: 'bad' | 'warn'
  readonly text: string
  /** Where to look. */
  readonly href: string | null
}

export function findConcerns(
  readiness: Readiness,
  lanes: readonly LaneResource[],
  chains: readonly ChainResource[] = [],
): readonly Concern[] {
  const concerns = [
    ...readiness.problems.map(describeReadinessProblem),
    ...lanes.flatMap(inspectLane),
    ...chains.flatMap(({ endpoints }) => endpoints.flatMap(inspectEndpoint)),
  ]
  return [...concerns.filter(({ level }) => level === 'bad'), ...concerns.filter(({ level }) => level === 'warn')]
}

function describeReadinessProblem({ part, message }: Readiness['problems'][number]): Concern {
  return { level: 'bad', text: `${part.charAt(0).toUpperCase()}${part.slice(1)}: ${message}`, href: null }
}

function inspectEndpoint({ name, state, lagBlocks, lastError }: EndpointResource): Concern[] {
  if (state === 'healthy' || state === 'unverified') return []
  const why = state === 'lagging' ? `${formatCount(lagBlocks ?? 0)} blocks behind` : (lastError?.message ?? '')
  return [{ level: 'warn', text: `RPC endpoint ${name}: ${nameEndpointState(state)}${why && `, ${why}`}`, href: null }]
}

function inspectLane(lane: LaneResource): Concern[] {
  const who = lane.label ?? shortenAddress(lane.address)
  const href = formHash({ page: 'signer', address: lane.address, after: null })
  const waiting = lane.queued + lane.inFlight
  const concerns: Concern[] = []
  if (lane.stuck > 0) {
    const what = lane.stuck === 1 ? '1 transaction is stuck' : `${formatCount(lane.stuck)} transactions are stuck`
    const stuck = formHash({ page: 'overview', group: 'stuck', from: lane.address, after: null })
    concerns.push({ level: 'bad', text: `${who}: ${what}`, href: stuck })
  }
  if (lane.stuckReserved > 0 && lane.lowestReserved !== null) {
    const { nonce, holder, reservationId } = lane.lowestReserved
    const by = reservationId === null ? 'another tenant' : (holder ?? 'a caller')
    concerns.push({ level: 'bad', text: `${who}: nonce ${nonce}, reserved by ${by}, holds up the signer`, href })
  }
  if (waiting > 0 && !(lane.lease?.live ?? false)) {
    concerns.push({ level: 'bad', text: `${who}: no node works on it, and ${formatCount(waiting)} wait`, href })
  }
  const drift = describeDrift(lane.chain?.drift ?? 0)
  if (drift !== null) concerns.push({ level: 'warn', text: `${who}: ${drift}`, href })
  if (lane.paused) concerns.push({ level: 'warn', text: `${who}: paused, ${formatCount(lane.queued)} queued`, href })
  return concerns
}
