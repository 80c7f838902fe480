/** What needs attention now, worst first. An empty list means that the service knows of no problem. */
import type { ChainResource, EndpointResource, LaneResource, Readiness } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { shortenAddress } from '../format/shorten.ts'
import { formHash } from '../pages/route.ts'
import { adviseOnDrift, describeDrift } from './drift.ts'
import { nameEndpointState } from './endpoint-states.ts'

export interface Concern {
  readonly level: 'bad' | 'warn'
  readonly text: string
  /** What to do about it. */
  readonly action: string | null
  /** The entry of the runbook about it. */
  readonly runbook: string | null
  /** Where to look. */
  readonly href: string | null
}

export function findConcerns(
  readiness: Readiness,
  lanes: readonly LaneResource[],
  chains: readonly ChainResource[] = [],
): readonly Concern[] {
  const concerns = [
    // Problems of signers are shown with the signers, in more detail than /readyz may show.
    ...readiness.problems.filter(({ part }) => !part.startsWith('signer')).map(describeReadinessProblem),
    ...lanes.flatMap(inspectLane),
    ...chains.flatMap(({ endpoints }) => endpoints.flatMap(inspectEndpoint)),
  ]
  return [...concerns.filter(({ level }) => level === 'bad'), ...concerns.filter(({ level }) => level === 'warn')]
}

function describeReadinessProblem({ part, message, action }: Readiness['problems'][number]): Concern {
  return {
    level: 'bad',
    text: `${part.charAt(0).toUpperCase()}${part.slice(1)}: ${message}`,
    action,
    runbook: null,
    href: null,
  }
}

function inspectEndpoint({ name, state, lagBlocks, lastError }: EndpointResource): Concern[] {
  if (state === 'healthy' || state === 'unverified') return []
  const why = state === 'lagging' ? `${formatCount(lagBlocks ?? 0)} blocks behind` : (lastError?.message ?? '')
  const text = `RPC endpoint ${name}: ${nameEndpointState(state)}${why && `, ${why}`}`
  return [{ level: 'warn', text, action: null, runbook: 'docs/runbook.md#rpc-endpoint', href: null }]
}

function inspectLane(lane: LaneResource): Concern[] {
  const who = lane.label ?? shortenAddress(lane.address)
  const href = formHash({ page: 'signer', address: lane.address, after: null })
  const concerns = lane.problems.map(({ level, message, action, runbook, transactionId }): Concern => {
    const where = transactionId === null ? href : formHash({ page: 'transaction', key: transactionId })
    return { level, text: `${who}: ${message}`, action, runbook, href: where }
  })
  if (lane.paused) {
    const text = `${who}: paused, ${formatCount(lane.queued)} queued`
    concerns.push({ level: 'warn', text, action: null, runbook: null, href })
  }
  const drift = lane.chain?.drift ?? 0
  const said = describeDrift(drift)
  if (said !== null) {
    const runbook = 'docs/runbook.md#nonce-drift'
    concerns.push({ level: 'warn', text: `${who}: ${said}`, action: adviseOnDrift(drift), runbook, href })
  }
  return concerns
}
