/** Routes inside the page: everything on it has a link that can be saved and shared. */
import type { TxState } from '../words/state-words.ts'

/** Names of the filters, and the states that each one shows. */
export const STATE_GROUPS = {
  all: [],
  queued: ['QUEUED'],
  approval: ['QUEUED'],
  flight: ['ALLOCATED', 'TRACKING'],
  stuck: ['STUCK'],
  confirmed: ['CONFIRMED'],
  failed: ['FAILED_FINAL'],
  dropped: ['CANCELLED', 'EXPIRED'],
} as const satisfies Readonly<Record<string, readonly TxState[]>>

export type StateGroup = keyof typeof STATE_GROUPS

/** Which transactions a list shows, and from which end. */
export interface TransactionsQuery {
  readonly group: StateGroup
  readonly from: string | null
  /** A receiver, a nonce, `key=value` of the metadata, or the beginning of a request id. */
  readonly find?: string
  /** Left out: newest first. */
  readonly order?: 'asc'
}

export interface TransactionsRoute extends TransactionsQuery {
  readonly page: 'transactions'
}

/** Pages whose address is only their name. */
const PLAIN_PAGES = ['signers', 'timers', 'webhooks', 'access', 'cluster', 'send'] as const
type PlainPage = (typeof PLAIN_PAGES)[number]

export type Route =
  | { readonly page: 'overview' }
  | TransactionsRoute
  | { readonly page: 'transaction'; readonly key: string }
  | { readonly page: 'signer'; readonly address: string; readonly after: string | null }
  | { readonly page: 'webhook'; readonly id: string }
  | { readonly page: PlainPage }
  | { readonly page: 'unknown' }

export type KnownRoute = Exclude<Route, { page: 'unknown' }>

export const ALL_TRANSACTIONS: TransactionsRoute = { page: 'transactions', group: 'all', from: null }
export const TO_APPROVE: TransactionsRoute = { page: 'transactions', group: 'approval', from: null }

const TRANSACTION = /^\/tx\/([0-9a-zA-Z-]{1,80})$/
const SIGNER = /^\/signer\/(0x[0-9a-fA-F]{40})$/
const WEBHOOK = /^\/webhook\/([0-9a-fA-F-]{36})$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const NONCE = /^\d{1,15}$/

export function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const params = new URLSearchParams(search)
  const key = TRANSACTION.exec(path)?.[1]
  if (key !== undefined) return { page: 'transaction', key }
  const address = SIGNER.exec(path)?.[1]
  if (address !== undefined) return { page: 'signer', address, after: params.get('after') }
  const id = WEBHOOK.exec(path)?.[1]
  if (id !== undefined) return { page: 'webhook', id }
  const plain = PLAIN_PAGES.find((name) => path === `/${name}`)
  if (plain !== undefined) return { page: plain }
  if (path === '/transactions') return parseTransactions(params)
  if (path !== '' && path !== '/') return { page: 'unknown' }
  // The list of transactions was on the overview once, and links to it are kept in bookmarks.
  return search === '' ? { page: 'overview' } : parseTransactions(params)
}

function parseTransactions(params: URLSearchParams): TransactionsRoute {
  const from = params.get('from')
  return {
    page: 'transactions',
    group: parseGroup(params.get('state')),
    from: from !== null && ADDRESS.test(from) ? from : null,
    ...parseFind(params.get('find')),
    ...(params.get('order') === 'asc' && { order: 'asc' }),
  }
}

const MAX_FIND_LENGTH = 200

function parseFind(text: string | null): Pick<TransactionsQuery, 'find'> {
  const find = text?.trim().slice(0, MAX_FIND_LENGTH) ?? ''
  return find === '' ? {} : { find }
}

/** Which transactions, as it is asked of the service. */
export function toFilter({ group, from, find, order }: TransactionsQuery) {
  const found = { ...toQuery(find), ...(group === 'approval' && { subState: 'awaiting_approval' }) }
  return { states: STATE_GROUPS[group], from, found, ...(order && { order }) }
}

/** The search filters, as they are sent to the service. */
export function toQuery(find: string | undefined): Readonly<Record<string, string>> {
  if (find === undefined) return {}
  if (ADDRESS.test(find)) return { to: find }
  if (NONCE.test(find)) return { nonce: String(Number(find)) }
  return find.indexOf('=') > 0 ? { metadata: find } : { requestIdPrefix: find }
}

function parseGroup(name: string | null): StateGroup {
  return name !== null && Object.hasOwn(STATE_GROUPS, name) ? (name as StateGroup) : 'all'
}

export function formHash(route: KnownRoute): string {
  switch (route.page) {
    case 'overview':
      return '#/'
    case 'transaction':
      return `#/tx/${route.key}`
    case 'signer':
      return `#/signer/${route.address}${formSearch({ after: route.after })}`
    case 'webhook':
      return `#/webhook/${route.id}`
    case 'transactions':
      return `#/transactions${formSearch({
        state: route.group === 'all' ? null : route.group,
        from: route.from,
        find: route.find ?? null,
        order: route.order ?? null,
      })}`
    default:
      return `#/${route.page}`
  }
}

function formSearch(params: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(params).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** A whole name typed into the search: an id or a hash leads to its transaction, an address to its signer. */
export function parseSearch(text: string): Route | null {
  const sought = text.trim()
  if (/^0x[0-9a-fA-F]{64}$/.test(sought) || /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(sought)) {
    return { page: 'transaction', key: sought.toLowerCase() }
  }
  return ADDRESS.test(sought) ? { page: 'signer', address: sought, after: null } : null
}
