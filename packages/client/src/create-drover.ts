/** The entry: checks what it is given and puts the parts together. */

import type { AuditCheck, AuditEntry, ConfirmationUpdate, Event, Node } from './generated/api-types.ts'
import {
  type ApiKeys,
  type AuditCheckOptions,
  type AuditOptions,
  createApiKeys,
  createAudit,
  createCheckAudit,
} from './resources/api-keys.ts'
import { type Chains, createChains } from './resources/chains.ts'
import { createHeldWaits } from './resources/held-waits.ts'
import type { Intent } from './resources/intent.ts'
import { createNonces, type Nonces } from './resources/nonces.ts'
import { type BatchOptions, type BatchResult, createSendBatch } from './resources/send-batch.ts'
import { createSigners, type Signers } from './resources/signers.ts'
import { createTimers, type Timers } from './resources/timers.ts'
import type { TransactionHandle } from './resources/transaction-handle.ts'
import { createSend, createTransactions, type Transactions } from './resources/transactions.ts'
import { createWebhookEndpoints, type WebhookEndpoints } from './resources/webhook-endpoints.ts'
import { createChosenEvents } from './stream/choose-events.ts'
import { type EventOptions, readEvents } from './stream/events.ts'
import { type ConfirmationOptions, followConfirmations } from './stream/live-streams.ts'
import { createOpenStream } from './stream/open-stream.ts'
import { createPolledEvents } from './stream/poll-events.ts'
import { createStreamedEvents } from './stream/stream-events.ts'
import { type ConnectionOptions, createConnection } from './transport/connection.ts'
import { createExchange } from './transport/exchange.ts'
import type { CallOptions, Request } from './transport/operation.ts'
import { DEFAULT_RETRY, NO_RETRY, type RetryPolicy } from './transport/retry.ts'
import { createTransport, type RetryNotice } from './transport/transport.ts'

export interface DroverOptions extends ConnectionOptions {
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
  /**
   * Hands many intents over, a thousand at a time. The results are in the order of the intents; one that is refused does
   * not fail the rest. Rejects only for a mistake of the caller, before anything is sent, or by the signal.
   */
  sendBatch(intents: readonly Intent[], options?: BatchOptions): Promise<readonly BatchResult[]>
  readonly transactions: Transactions
  /** Nonces for callers who sign themselves. */
  readonly nonces: Nonces
  readonly signers: Signers
  readonly chains: Chains
  /** The live nodes of the service. */
  nodes(options?: CallOptions): Promise<readonly Node[]>
  /** Calls at a block, every so many blocks, or when an event is logged. */
  readonly timers: Timers
  readonly webhooks: WebhookEndpoints
  readonly apiKeys: ApiKeys
  /** Who changed what, newest first, fetched page by page as the loop goes on. */
  audit(options?: AuditOptions): AsyncIterableIterator<AuditEntry>
  /** Whether it is as it was written: all its hashes, computed anew. */
  checkAudit(options?: AuditCheckOptions): Promise<AuditCheck>
  /** All that happens, in order, from a cursor on and through outages: `for await (const event of drover.events())`. */
  events(options?: EventOptions): AsyncIterableIterator<Event>
  /**
   * The blocks on top of each mined transaction, as they come. First, and again after every break, the whole list of each
   * with `newFork: true`, which replaces what was told before; from then on what is added.
   */
  confirmations(options?: ConfirmationOptions): AsyncIterableIterator<ConfirmationUpdate>
  /** Any operation of the contract by its name, such as `request('GET /v1/nodes', {})`; for tools that show everything. */
  readonly request: Request
}

export function createDrover(options: DroverOptions): Drover {
  const { timeoutMs = 30_000, retry = {}, onRetry = () => {} } = options
  const connect = createConnection(options)
  const exchange = createExchange({ connect, timeoutMs })
  const policy = retry === false ? NO_RETRY : { ...DEFAULT_RETRY, ...retry }
  const request = createTransport({ exchange, retry: policy, onRetry })
  const ports = { request, onRetry, heldWaits: createHeldWaits(timeoutMs) }
  const live = { openStream: createOpenStream({ connect, timeoutMs }), onRetry }
  const open = createChosenEvents({
    stream: createStreamedEvents(live.openStream),
    poll: createPolledEvents(request),
  })
  return {
    send: createSend(ports),
    sendBatch: createSendBatch({ ...ports, retry: policy }),
    transactions: createTransactions(ports),
    nonces: createNonces(request),
    signers: createSigners(ports),
    chains: createChains(request, live),
    nodes: async (callOptions) => (await request('GET /v1/nodes', {}, callOptions)).items,
    timers: createTimers(request),
    webhooks: createWebhookEndpoints(request),
    apiKeys: createApiKeys(request),
    audit: createAudit(request),
    checkAudit: createCheckAudit(request),
    events: (eventOptions = {}) => readEvents({ open, onRetry }, eventOptions),
    confirmations: (liveOptions = {}) => followConfirmations(live, liveOptions),
    request,
  }
}
