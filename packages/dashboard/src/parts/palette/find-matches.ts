/** What a text in the search may mean: pages and signers by name, transactions by what the service is asked for. */
import type { ApiClient } from '../../api/api-client.ts'
import { ApiProblem } from '../../api/api-failure.ts'
import type { LaneResource, TransactionResource } from '../../api/api-resources.ts'
import { shortenAddress, shortenHash } from '../../format/shorten.ts'
import { ALL_TRANSACTIONS, formHash, parseSearch, toQuery } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { describeSubState, STATE_NAMES } from '../../words/state-words.ts'
import { PAGES } from '../frame/pages.ts'

export interface Match {
  readonly kind: 'Page' | 'Signer' | 'Transaction' | 'List'
  readonly title: string
  readonly note: string
  readonly href: string
}

const MAX_TRANSACTIONS = 6
const MAX_SIGNERS = 5

const MORE_PAGES: readonly Match[] = [
  {
    kind: 'Page',
    title: 'Send a transaction',
    note: 'Build a call, check it, send it',
    href: formHash({ page: 'send' }),
  },
  { kind: 'Page', title: 'API reference', note: 'Every operation, with a form to try it', href: '/docs' },
]

export function findPages(text: string): readonly Match[] {
  const sought = text.trim().toLowerCase()
  const pages = PAGES.map(({ name, href, about }): Match => ({ kind: 'Page', title: name, note: about, href }))
  return [...pages, ...MORE_PAGES].filter(({ title, note }) => `${title} ${note}`.toLowerCase().includes(sought))
}

export function findSigners(text: string, lanes: readonly LaneResource[]): readonly Match[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return []
  const found = lanes.filter(({ address, label }) => `${address} ${label ?? ''}`.toLowerCase().includes(sought))
  return found.slice(0, MAX_SIGNERS).map(({ address, label, chainId }) => ({
    kind: 'Signer',
    title: label ?? shortenAddress(address),
    note: `${shortenAddress(address)} on ${nameChain(chainId)}`,
    href: formHash({ page: 'signer', address, after: null }),
  }))
}

/** By id or any attempt's hash; else by receiver, nonce, `key=value` or the beginning of a request id. */
export async function findTransactions(
  text: string,
  api: Pick<ApiClient, 'getTransaction' | 'listTransactions'>,
): Promise<readonly Match[]> {
  const sought = text.trim()
  if (sought.length < 1) return []
  const exact = parseSearch(sought)
  if (exact?.page === 'transaction') return (await findOne(exact.key, api)).map(presentTransaction)
  try {
    const query = { states: [], from: null, after: null, limit: MAX_TRANSACTIONS, found: toQuery(sought) }
    const { items, next } = await api.listTransactions(query)
    const matches = items.map(presentTransaction)
    if (next === null) return matches
    const all = formHash({ ...ALL_TRANSACTIONS, find: sought })
    return [...matches, { kind: 'List', title: 'Show all of them', note: `transactions with ${sought}`, href: all }]
  } catch (error) {
    // Half a word that is no valid filter yet.
    if (error instanceof ApiProblem && error.problem.status === 400) return []
    throw error
  }
}

async function findOne(key: string, api: Pick<ApiClient, 'getTransaction'>): Promise<readonly TransactionResource[]> {
  try {
    return [await api.getTransaction(key)]
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 404) return []
    throw error
  }
}

function presentTransaction(tx: TransactionResource): Match {
  const { id, state, subState, nonce, hash, requestId, from } = tx
  const names = [
    requestId,
    nonce === null ? 'no nonce yet' : `nonce ${nonce}`,
    `from ${shortenAddress(from)}`,
    hash === null ? null : shortenHash(hash),
  ]
  return {
    kind: 'Transaction',
    title: `${STATE_NAMES[state]}, ${describeSubState(subState)}`,
    note: names.filter((name) => name !== null).join(' · '),
    href: formHash({ page: 'transaction', key: id }),
  }
}
