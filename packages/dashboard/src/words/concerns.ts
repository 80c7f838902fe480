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

/** What can be done about it by a click. */
export type Remedy =
  | { readonly type: 'transaction'; readonly transactionId: string }
  | { readonly type: 'top_up' | 'fee_limit' | 'release' | 'resume' | 'fill_gap'; readonly lane: LaneResource }
  | { readonly type: 'turn_on'; readonly webhookId: string }

export interface Concern {
  /** Stays the same while its words change. */
  readonly id: string
  readonly level: 'bad' | 'warn'
  readonly text: string
  /** What to do about it. */
  readonly action: string | null
  /** The entry of the runbook about it. */
  readonly runbook: string | null
  /** Where to look. */
  readonly href: string | null
  /** Null: it is put right outside of Drover, as `action` says. */
  readonly remedy: Remedy | null
}

/** Where the link of a concern leads to, by the page. */
const LOOK_AT: Readonly<Record<string, string>> = {
  tx: 'Show transaction',
  transactions: 'Show transactions',
  signer: 'Show signer',
  cluster: 'Show cluster',
  webhook: 'Show webhook',
}

export function nameLink(href: string): string {
  return LOOK_AT[href.split(/[/?]/)[1] ?? ''] ?? 'Details'
}

export function findConcerns(
  readiness: Readiness,
  lanes: readonly LaneResource[],
  chains: readonly ChainResource[] = [],
): readonly Concern[] {
  // Problems of signers are shown with the signers, in more detail than /readyz may show.
  const parts = readiness.problems.filter(({ part }) => !part.startsWith('signer'))
  const deadNodes = parts.filter(({ part }) => part.startsWith('node '))
  const concerns = [
    ...parts.map((problem) => describeReadinessProblem(problem, lanes)),
    ...lanes.map((lane) => withoutDeadNode(lane, deadNodes)).flatMap(inspectLane),
    ...chains.flatMap(({ chainId, endpoints }) =>
      endpoints.flatMap((endpoint) => inspectEndpoint(chainId, endpoint, endpoints)),
    ),
  ]
  return [...concerns.filter(({ level }) => level === 'bad'), ...concerns.filter(({ level }) => level === 'warn')]
}

type PartProblem = Readiness['problems'][number]

function describeReadinessProblem(problem: PartProblem, lanes: readonly LaneResource[]): Concern {
  const { part, message, action, runbook } = problem
  const affected = lanes.filter((lane) => lane.problems.some((each) => isOf(problem, lane, each))).map(nameLane)
  const count = affected.length === 1 ? '1 signer is' : `${formatCount(affected.length)} signers are`
  const who = affected.length === 0 ? '' : `. ${count} affected: ${nameSome(affected)}.`
  return {
    id: part,
    level: 'bad',
    text: `${part.charAt(0).toUpperCase()}${part.slice(1)}: ${message}${who}`,
    action,
    runbook,
    href: /^(?:chain|node) /.test(part) ? formHash({ page: 'cluster' }) : null,
    remedy: null,
  }
}

/** One cause, one concern: signers without an owner are listed with the node that ran them, if it is known to be dead. */
function withoutDeadNode(lane: LaneResource, nodes: readonly PartProblem[]): LaneResource {
  const problems = lane.problems.filter((each) => !nodes.some((node) => isOf(node, lane, each)))
  return { ...lane, problems }
}

/** This problem of a signer is that this node is dead. */
function isOf({ part }: PartProblem, { lease }: LaneResource, { code }: LaneProblem): boolean {
  if (code !== 'owner_silent' && code !== 'no_owner') return false
  return part.startsWith('node ') && lease !== null && part.includes(lease.node)
}

/** The list of signers has the rest. */
const NAMED = 5

function nameSome(names: readonly string[]): string {
  const more = names.length - NAMED
  return `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`
}

function nameLane({ label, address }: LaneResource): string {
  return label ?? shortenAddress(address)
}

function inspectEndpoint(chainId: number, endpoint: EndpointResource, all: readonly EndpointResource[]): Concern[] {
  const { name, state, lagBlocks, lastError } = endpoint
  if (state === 'healthy' || state === 'unverified') return []
  const why = state === 'lagging' ? `${formatCount(lagBlocks ?? 0)} blocks behind` : (lastError?.message ?? '')
  const text = `RPC endpoint ${name}: ${nameEndpointState(state)}${why && `, ${why}`}`
  const { action, runbook } = adviseOnEndpoint(endpoint, all)
  const href = formHash({ page: 'cluster' })
  return [{ id: `endpoint ${chainId} ${name}`, level: 'warn', text, action, runbook, href, remedy: null }]
}

function adviseOnEndpoint(
  { state, roles }: EndpointResource,
  all: readonly EndpointResource[],
): Pick<Concern, 'action' | 'runbook'> {
  if (state === 'wrong_chain') {
    const action = 'Drover does not use it. Correct its URL and restart, or ask the provider what changed.'
    return { action, runbook: 'docs/runbook.md#rpc-wrong-chain' }
  }
  if (!roles.includes('read')) {
    const action =
      'Transactions that may go only there wait. Check the endpoint (`drover doctor`), or change `rpcSendUrl` and restart.'
    return { action, runbook: 'docs/runbook.md#send-endpoint-away' }
  }
  return {
    action: adviseOnReads(all.filter((each) => each.roles.includes('read'))),
    runbook: 'docs/runbook.md#rpc-endpoint',
  }
}

function adviseOnReads(all: readonly EndpointResource[]): string {
  if (all.length === 1) return 'It is the only endpoint of this chain. Check the node, or add a second URL to `rpcUrl`.'
  return all.some(({ state }) => state === 'healthy')
    ? 'Drover uses the other endpoints. Check the node, or replace its URL in `rpcUrl`.'
    : 'No endpoint of this chain is healthy. Check the nodes, or add a URL to `rpcUrl`.'
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
    const remedy: Remedy = { type: 'transaction', transactionId: first.id }
    return [{ id: 'approval', level: 'warn', text: 'A transaction waits for approval', action, runbook, href, remedy }]
  }
  const many = unapproved.length < counted ? formatCount(unapproved.length) : `${formatCount(counted)} or more`
  const text = `${many} transactions wait for approval`
  return [{ id: 'approvals', level: 'warn', text, action, runbook, href: formHash(TO_APPROVE), remedy: null }]
}

/** Webhooks that get nothing, or whose receiver does not take it. */
export function findWebhookConcerns(webhooks: readonly WebhookResource[]): readonly Concern[] {
  return webhooks.flatMap(({ id: webhookId, url, disabled, failingSince }): Concern[] => {
    const href = formHash({ page: 'webhook', id: webhookId })
    const about = { id: `webhook ${webhookId}`, runbook: 'docs/runbook.md#webhook', href }
    if (disabled !== null && disabled.reason !== 'operator') {
      const action = 'Repair the receiver, then turn the webhook on again. What it missed is delivered then.'
      const text = `Webhook ${url}: turned off since ${disabled.at}`
      return [{ ...about, level: 'bad', text, action, remedy: { type: 'turn_on', webhookId } }]
    }
    if (disabled !== null || failingSince === null) return []
    const action = 'Check the receiver. Drover keeps trying, and turns the webhook off if nothing arrives for too long.'
    return [{ ...about, level: 'warn', text: `Webhook ${url}: failing since ${failingSince}`, action, remedy: null }]
  })
}

function inspectLane(lane: LaneResource): Concern[] {
  const who = nameLane(lane)
  const href = formHash({ page: 'signer', address: lane.address, after: null })
  const idOf = (what: string) => `${lane.chainId} ${lane.address} ${what}`
  const concerns = lane.problems.map((problem): Concern => {
    const { code, level, message, action, runbook, transactionId } = problem
    const where = transactionId === null ? href : formHash({ page: 'transaction', key: transactionId })
    const remedy = findRemedy(problem, lane)
    return { id: idOf(code), level, text: `${who}: ${message}`, action, runbook, href: where, remedy }
  })
  if (lane.paused) {
    const text = `${who}: paused, ${formatCount(lane.queued)} queued`
    const action = 'Resume it when the reason is gone. Until then its queue grows.'
    const remedy: Remedy = { type: 'resume', lane }
    concerns.push({ id: idOf('paused'), level: 'warn', text, action, runbook: null, href, remedy })
  }
  const drift = lane.chain?.drift ?? 0
  const said = describeDrift(drift)
  if (said !== null) {
    concerns.push({
      id: idOf('drift'),
      level: 'warn',
      text: `${who}: ${said}`,
      action: adviseOnDrift(drift),
      runbook: 'docs/runbook.md#nonce-drift',
      href,
      remedy: drift > 0 && lane.free > 0 ? { type: 'fill_gap', lane } : null,
    })
  }
  return concerns
}

type LaneProblem = LaneResource['problems'][number]

function findRemedy({ code, transactionId }: LaneProblem, lane: LaneResource): Remedy | null {
  switch (code) {
    case 'foreign_nonce':
    case 'stuck':
      return transactionId === null ? null : { type: 'transaction', transactionId }
    case 'out_of_funds':
    case 'balance_low':
      return { type: 'top_up', lane }
    case 'fee_above_cap':
      return { type: 'fee_limit', lane }
    case 'blocked_by_reservation':
      return { type: 'release', lane }
    default:
      return null
  }
}
