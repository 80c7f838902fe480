/** `drover tx list`: transactions that fit, newest first. */
import type { Transaction, TransactionFilter } from '@drover/client'
import { TX_STATES } from '../../core/transaction.ts'
import { readChainId, readCount, readInstantOrSpan } from '../option-value.ts'
import type { ServiceCommand } from '../service-command.ts'
import { type Session, UsageError } from '../service-session.ts'
import { presentTransactions } from './present-transaction.ts'

interface ListOptions {
  readonly chainId?: number
  readonly from?: string
  readonly state?: string
  readonly requestId?: string
  readonly hash?: string
  readonly nonce?: number
  readonly since?: string
  readonly limit: number
  readonly after?: string
}

const LARGEST_PAGE = 200
const MOST = 10_000

export const listCommand: ServiceCommand = {
  name: 'list',
  description: 'list transactions, newest first',
  examples: ['drover tx list --state STUCK,QUEUED', 'drover tx list --from 0xf39F… --since 1h --json'],
  configure(command) {
    command
      .option('--chain-id <id>', 'of this chain', readChainId)
      .option('--from <address>', 'of this signer')
      .option('--state <states>', `in one of these states: ${TX_STATES.join(',')}`)
      .option('--request-id <id>', 'with this request id')
      .option('--hash <hash>', 'with this hash among its attempts')
      .option('--nonce <nonce>', 'with this nonce', readCount(0, Number.MAX_SAFE_INTEGER))
      .option('--since <time>', 'accepted since: 1h, or an ISO 8601 time', readInstantOrSpan(-1))
      .option('--limit <count>', 'at most so many', readCount(1, MOST), 50)
      .option('--after <cursor>', '`next` of an earlier answer')
  },
  async run(session, command) {
    const { limit, after, ...filter } = command.opts<ListOptions>()
    const { items, next } = await readPages(session, toFilter(filter), limit, after)
    session.print({ items, next }, () => presentTransactions(items, session.style, Date.now()))
    if (next !== null && !session.json) session.note(`There are more: --after ${next}, or a larger --limit.`)
    return undefined
  },
}

async function readPages(
  { drover, signal }: Session,
  filter: TransactionFilter,
  limit: number,
  from: string | undefined,
): Promise<{ readonly items: readonly Transaction[]; readonly next: string | null }> {
  const items: Transaction[] = []
  let after = from
  for (;;) {
    const page = { limit: Math.min(LARGEST_PAGE, limit - items.length), signal, ...(after !== undefined && { after }) }
    const answer = await drover.transactions.page(filter, page)
    items.push(...answer.items)
    if (answer.next === null || items.length >= limit) return { items, next: answer.next }
    after = answer.next
  }
}

function toFilter(options: Omit<ListOptions, 'limit' | 'after' | 'json' | 'url'>): TransactionFilter {
  const { chainId, from, requestId, hash, nonce, since } = options
  const state = options.state === undefined ? undefined : readStates(options.state)
  return {
    ...(chainId !== undefined && { chainId }),
    ...(from !== undefined && { from }),
    ...(requestId !== undefined && { requestId }),
    ...(hash !== undefined && { hash }),
    ...(nonce !== undefined && { nonce }),
    ...(since !== undefined && { since }),
    ...(state !== undefined && { state }),
  }
}

function readStates(text: string): readonly Transaction['state'][] {
  return text.split(',').map((name) => {
    const state = TX_STATES.find((candidate) => candidate === name.trim().toUpperCase())
    if (state === undefined) throw new UsageError(`--state must be a comma-separated list of ${TX_STATES.join(', ')}`)
    return state
  })
}
