/** The entry: checks what it is given and puts the parts together. */
import { type Chains, createChains } from './chains.ts'
import { DroverError } from './drover-error.ts'
import { type EventOptions, readEvents } from './events.ts'
import { createExchange, type Fetch } from './exchange.ts'
import type { Event, Node } from './generated/api-types.ts'
import type { CallOptions } from './operation.ts'
import { createPolledEvents } from './poll-events.ts'
import { DEFAULT_RETRY, NO_RETRY, type RetryPolicy } from './retry.ts'
import { createSigners, type Signers } from './signers.ts'
import type { TransactionHandle } from './transaction-handle.ts'
import { createSend, createTransactions, type Intent, type Transactions } from './transactions.ts'
import { createTransport, type RetryNotice } from './transport.ts'

export interface DroverOptions {
  /** Where the service is, such as `https://drover.example.org`; a path in front of `/v1` may be a part of it. */
  readonly url: string
  readonly apiKey?: string
  /** In place of the runtime's own. */
  readonly fetch?: Fetch
  /** For one try of one request. 30 seconds if left out. */
  readonly timeoutMs?: number
  /** False: every request is sent once. */
  readonly retry?: Partial<RetryPolicy> | false
  /** Told of everything that failed and will be tried again; for logs. */
  readonly onRetry?: (notice: RetryNotice) => void
}

export interface Drover {
  /**
   * Hands an intent over; it is durable when this returns. Network failures, 429 and 503 are tried again under the same
   * request id, so that it is carried out once however often it is sent.
   */
  send(intent: Intent, options?: CallOptions): Promise<TransactionHandle>
  readonly transactions: Transactions
  readonly signers: Signers
  readonly chains: Chains
  /** The live nodes of the service. */
  nodes(options?: CallOptions): Promise<readonly Node[]>
  /** All that happens, in order, from a cursor on and through outages: `for await (const event of drover.events())`. */
  events(options?: EventOptions): AsyncIterableIterator<Event>
}

export function createDrover(options: DroverOptions): Drover {
  const { apiKey, timeoutMs = 30_000, retry = {}, onRetry = () => {} } = options
  const exchange = createExchange({
    url: checkUrl(options.url),
    apiKey: apiKey === undefined ? null : checkApiKey(apiKey),
    // Called anew each time: browsers insist on its being called on the global object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs,
  })
  const policy = retry === false ? NO_RETRY : { ...DEFAULT_RETRY, ...retry }
  const request = createTransport({ exchange, retry: policy, onRetry })
  const open = createPolledEvents(request)
  return {
    send: createSend({ request, onRetry }),
    transactions: createTransactions({ request, onRetry }),
    signers: createSigners(request),
    chains: createChains(request),
    nodes: async (callOptions) => (await request('GET /v1/nodes', {}, callOptions)).items,
    events: (eventOptions = {}) => readEvents({ open, onRetry }, eventOptions),
  }
}

/** Neither message repeats what was given: both may hold secrets. */
function checkUrl(text: string): string {
  const url = parseUrl(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse('url', 'must be an http or https URL')
  if (url.username !== '' || url.password !== '') throw refuse('url', 'must hold no user and password; use apiKey')
  if (url.search !== '' || url.hash !== '') throw refuse('url', 'must end before any ? or #')
  return url.href.replace(/\/+$/, '')
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    // `URL.canParse` would say so too, but not in browsers of 2023; the caller is told either way.
    return null
  }
}

/** What cannot stand in a header would be repeated in the error of whoever tries. */
function checkApiKey(apiKey: string): string {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw refuse('apiKey', 'must be printable ASCII without blanks')
  return apiKey
}

function refuse(field: string, what: string): DroverError {
  return new DroverError({ code: 'invalid_argument', detail: `${field} ${what}.`, field })
}
