/** `drover tx list`: transactions that fit, in the order of acceptance. */
import type { Transaction, TransactionFilter } from '@drover/client'
import { TX_STATES } from '@drover/server/core'
import { readChainId, readCount, readInstantOrSpan } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { type Session, UsageError } from '../service/service-session.ts'
import { presentTransactions } from './present-transaction.ts'

interface ListOptions {
  readonly chainId?: number
  readonly from?: string
  readonly state?: string
  readonly awaitingApproval?: boolean
  readonly requestId?: string
  readonly hash?: string
  readonly nonce?: number
  readonly since?: string
  readonly until?: string
  readonly to?: string
  readonly requestIdPrefix?: string
  readonly metadata?: string
  readonly oldestFirst?: boolean
  readonly limit: number
  readonly after?: string
}

const MAX_PAGE = 200
const MOST = 10_000

export const listCommand: ServiceCommand = {
  name: 'list',
  description: 'list transactions, newest first',
  examples: [
    'drover tx list --state STUCK,QUEUED',
    'drover tx list --from 0xf39F… --since 1h --json',
    'drover tx list --request-id-prefix payroll- --oldest-first',
  ],
  configure(command) {
    command
      .option('--chain-id <id>', 'on this chain', readChainId)
      .option('--from <address>', 'from this signer')
      .option('--state <states>', `in one of these states: ${TX_STATES.join(',')}`)
      .option('--awaiting-approval', 'that wait for approval')
      .option('--request-id <id>', 'with this request id')
      .option('--hash <hash>', 'with this hash, of any attempt')
      .option('--nonce <nonce>', 'with this nonce', readCount(0, Number.MAX_SAFE_INTEGER))
      .option('--since <time>', 'accepted since: 1h, or an ISO 8601 time', readInstantOrSpan(-1))
      .option('--until <time>', 'accepted before: 1h, or an ISO 8601 time', readInstantOrSpan(-1))
      .option('--to <address>', 'to this address')
      .option('--request-id-prefix <text>', 'with a request id that starts with this')
      .option('--metadata <key=value>', 'with this metadata')
      .option('--oldest-first', 'oldest first')
      .option('--limit <count>', 'maximum number', readCount(1, MOST), 50)
      .option('--after <cursor>', 'continue from `next` of the last page')
  },
  async run(session, command) {
    const { limit, after, oldestFirst = false, ...filter } = command.opts<ListOptions>()
    const wanted = { limit, after, order: oldestFirst ? 'asc' : 'desc' } as const
    const { items, next } = await readPages(session, toFilter(filter), wanted)
    session.print({ items, next }, () => presentTransactions(items, session.style, Date.now()))
    if (next !== null && !session.json) session.note(`There are more. Use --after ${next} or a larger --limit.`)
    return undefined
  },
}

async function readPages(
  { drover, signal }: Session,
  filter: TransactionFilter,
  { limit, after: from, order }: { limit: number; after: string | undefined; order: 'asc' | 'desc' },
): Promise<{ readonly items: readonly Transaction[]; readonly next: string | null }> {
  const items: Transaction[] = []
  let after = from
  for (;;) {
    const left = Math.min(MAX_PAGE, limit - items.length)
    const page = { limit: left, order, signal, ...(after !== undefined && { after }) }
    const answer = await drover.transactions.page(filter, page)
    items.push(...answer.items)
    if (answer.next === null || items.length >= limit) return { items, next: answer.next }
    after = answer.next
  }
}

function toFilter(options: Omit<ListOptions, 'limit' | 'after' | 'oldestFirst'>): TransactionFilter {
  const { chainId, from, to, requestId, requestIdPrefix, hash, nonce, since, until } = options
  const metadata = options.metadata === undefined ? undefined : readPair(options.metadata)
  const state = options.state === undefined ? undefined : readStates(options.state)
  return {
    ...(chainId !== undefined && { chainId }),
    ...(from !== undefined && { from }),
    ...(requestId !== undefined && { requestId }),
    ...(hash !== undefined && { hash }),
    ...(nonce !== undefined && { nonce }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(to !== undefined && { to }),
    ...(requestIdPrefix !== undefined && { requestIdPrefix }),
    ...(metadata !== undefined && { metadata }),
    ...(state !== undefined && { state }),
    ...(options.awaitingApproval === true && { subState: 'awaiting_approval' as const }),
  }
}

function readPair(text: string): { readonly key: string; readonly value: string } {
  const end = text.indexOf('=')
  if (end <= 0) throw new UsageError('--metadata must have the form key=value')
  return { key: text.slice(0, end), value: text.slice(end + 1) }
}

function readStates(text: string): readonly Transaction['state'][] {
  return text.split(',').map((name) => {
    const state = TX_STATES.find((candidate) => candidate === name.trim().toUpperCase())
    if (state === undefined) throw new UsageError(`--state must be a comma-separated list of ${TX_STATES.join(', ')}`)
    return state
  })
}
