/** What needs attention now, worst first. An empty list means that the service knows of no problem. */
import type {
  ChainResource,
  EndpointResource,
  LaneResource,
  Readiness,
  TransactionResource,
  WebhookResource,
} from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { shortenAddress } from '../format/shorten.ts'
import { formHash, TO_APPROVE } from '../pages/route.ts'
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
  const action = 'Drover uses the other endpoints. If there is none, check the node or add a URL to `rpcUrl`.'
  const runbook = 'docs/runbook.md#rpc-endpoint'
  return [{ level: 'warn', text, action, runbook, href: formHash({ page: 'cluster' }) }]
}

/** `counted`: how many were asked for at most. */
export function findApprovalConcerns(
  unapproved: readonly Pick<TransactionResource, 'id'>[],
  counted: number,
): readonly Concern[] {
  const [first] = unapproved
  if (first === undefined) return []
  const runbook = 'docs/runbook.md#awaiting-approval'
  const action = 'Approve or reject. What is not approved in time is cancelled.'
  if (unapproved.length === 1) {
    const href = formHash({ page: 'transaction', key: first.id })
    return [{ level: 'warn', text: 'A transaction waits for approval', action, runbook, href }]
  }
  const many = unapproved.length < counted ? formatCount(unapproved.length) : `${formatCount(counted)} or more`
  const text = `${many} transactions wait for approval`
  return [{ level: 'warn', text, action, runbook, href: formHash(TO_APPROVE) }]
}

/** Webhooks that get nothing, or whose receiver does not take it. */
export function findWebhookConcerns(webhooks: readonly WebhookResource[]): readonly Concern[] {
  return webhooks.flatMap(({ id, url, disabled, failingSince }): Concern[] => {
    const href = formHash({ page: 'webhook', id })
    const runbook = 'docs/runbook.md#webhook'
    if (disabled !== null && disabled.reason !== 'operator') {
      const action = 'Repair the receiver, then turn the webhook on again. What it missed is delivered then.'
      return [{ level: 'bad', text: `Webhook ${url}: turned off since ${disabled.at}`, action, runbook, href }]
    }
    if (disabled !== null || failingSince === null) return []
    const action = 'Check the receiver. Drover keeps trying, and turns the webhook off if nothing arrives for too long.'
    return [{ level: 'warn', text: `Webhook ${url}: failing since ${failingSince}`, action, runbook, href }]
  })
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
    const action = 'Resume it on its page when the reason is gone. Until then its queue grows.'
    concerns.push({ level: 'warn', text, action, runbook: null, href })
  }
  const drift = lane.chain?.drift ?? 0
  const said = describeDrift(drift)
  if (said !== null) {
    const runbook = 'docs/runbook.md#nonce-drift'
    concerns.push({ level: 'warn', text: `${who}: ${said}`, action: adviseOnDrift(drift), runbook, href })
  }
  return concerns
}
