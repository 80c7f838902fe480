/** The entry point: checks its options and assembles the client. */

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
import { createSpendingRules, type SpendingRules } from './resources/rules.ts'
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
  /** Called for every failure that will be retried; for logs. */
  readonly onRetry?: (notice: RetryNotice) => void
}

export interface Drover {
  /**
   * Submits an intent, which is durable when this returns. Network failures, 429 and 503 are retried under the same
   * request id, so the intent is carried out once however often it is sent.
   */
  send(intent: Intent, options?: CallOptions): Promise<TransactionHandle>
  /**
   * Submits many intents, a thousand at a time. Results are in the order of the intents, and a refused intent does not
   * fail the rest. Rejects only if an intent is invalid, before anything is sent, or if the signal aborts.
   */
  sendBatch(intents: readonly Intent[], options?: BatchOptions): Promise<readonly BatchResult[]>
  readonly transactions: Transactions
  /** Nonces for callers that sign their own transactions. */
  readonly nonces: Nonces
  readonly signers: Signers
  readonly chains: Chains
  /** The live nodes of the service. */
  nodes(options?: CallOptions): Promise<readonly Node[]>
  /** Calls at a block, every N blocks, or when an event is logged. */
  readonly timers: Timers
  readonly webhooks: WebhookEndpoints
  readonly apiKeys: ApiKeys
  /** What signers and API keys may spend. */
  readonly rules: SpendingRules
  /** Who changed what, newest first, fetched page by page as you iterate. */
  audit(options?: AuditOptions): AsyncIterableIterator<AuditEntry>
  /** Verifies that the audit is unaltered by recomputing all its hashes. */
  checkAudit(options?: AuditCheckOptions): Promise<AuditCheck>
  /** Every event, in order, from a cursor on and through outages: `for await (const event of drover.events())`. */
  events(options?: EventOptions): AsyncIterableIterator<Event>
  /**
   * The blocks on top of each mined transaction, as they arrive. First, and again after every break, you get the whole
   * list of each with `newFork: true`, which replaces what you got before. After that you get only additions.
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
    rules: createSpendingRules(request),
    audit: createAudit(request),
    checkAudit: createCheckAudit(request),
    events: (eventOptions = {}) => readEvents({ open, onRetry }, eventOptions),
    confirmations: (liveOptions = {}) => followConfirmations(live, liveOptions),
    request,
  }
}
