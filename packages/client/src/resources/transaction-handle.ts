/** A handle to a transaction: read it, wait for it, act on it. */
import type {
  Attempt,
  Confirmations,
  Event,
  Explanation,
  Receipt,
  ResolveRequest,
  Transaction,
} from '../generated/api-types.ts'
import type { CallOptions, Request } from '../transport/operation.ts'
import type { RetryNotice } from '../transport/transport.ts'
import type { HeldWaits } from './held-waits.ts'
import type { Stage, Stages } from './stage.ts'
import { type WaitOptions, type WaitQuery, waitForStage } from './wait-for-stage.ts'

export interface HistoryOptions extends CallOptions {
  /** `asc`, oldest first, unless said otherwise. */
  readonly order?: 'asc' | 'desc'
  /** Maximum number of entries. */
  readonly limit?: number
}

export interface TransactionHandle {
  readonly id: string
  /** As it was last seen through this handle. */
  readonly snapshot: Transaction
  /** Fetches it again. */
  refresh(options?: CallOptions): Promise<Transaction>
  /**
   * Waits until it is `submitted`, `mined` or `confirmed`, through outages of the service. Fails with
   * `transaction_reverted`, `transaction_cancelled`, `transaction_expired` or `transaction_stuck` if it cannot get
   * there, and with `wait_timeout` if it takes too long; the error has the `transaction`.
   */
  wait<S extends Stage>(stage: S, options?: WaitOptions): Promise<Stages[S]>
  /** Why it is where it is, what comes next and when, and what can be done about it. */
  explain(options?: CallOptions): Promise<Explanation>
  /** Its history, oldest first; with a `limit`, that many entries, from either end. */
  history(options?: HistoryOptions): Promise<readonly Event[]>
  /** Its receipt; with `include: 'logs'`, its logs too. Fails with `not_found` while it is not mined. */
  receipt(options?: CallOptions & { readonly include?: 'logs' }): Promise<Receipt>
  /** Every byte string that was signed for it, oldest first. */
  attempts(options?: CallOptions): Promise<readonly Attempt[]>
  /** The blocks on top of it. */
  confirmations(options?: CallOptions): Promise<Confirmations>
  /** Cancels it; refused with `action_forbidden` if its state or policy does not allow that. */
  cancel(reason: string, options?: CallOptions): Promise<Transaction>
  /** Holds it back. */
  suspend(reason: string, options?: CallOptions): Promise<Transaction>
  /** Lets it continue. */
  resume(reason: string, options?: CallOptions): Promise<Transaction>
  /** Retries a waiting or stuck transaction immediately, with the same bytes. */
  retry(reason: string, options?: CallOptions): Promise<Transaction>
  /** Signs it again at a higher price; whichever is mined counts. */
  speedUp(reason: string, options?: CallOptions): Promise<Transaction>
  /** Gives it a new nonce, if another transaction used its nonce and did something else. */
  requeue(reason: string, options?: CallOptions): Promise<Transaction>
  /** Ends it as CANCELLED, if another transaction used its nonce and did something else. */
  close(reason: string, options?: CallOptions): Promise<Transaction>
  /** Approves it, if it waits for approval and its rules name this key. */
  approve(reason: string, options?: CallOptions): Promise<Transaction>
  /** Refuses it, if it waits for approval and its rules name this key: it is CANCELLED. */
  reject(reason: string, options?: CallOptions): Promise<Transaction>
  /** Ends a stuck transaction with the outcome of the transaction that used its nonce, if that did the same. */
  resolve(request: ResolveRequest, options?: CallOptions): Promise<Transaction>
}

export interface HandlePorts {
  readonly request: Request
  readonly heldWaits: HeldWaits
  onRetry(notice: RetryNotice): void
}

export function createTransactionHandle(ports: HandlePorts, first: Transaction): TransactionHandle {
  const { request } = ports
  const { id } = first
  const params = { id }
  const seen = createLatest(first)
  const look = (query: WaitQuery, options: CallOptions = {}) =>
    seen.take(request('GET /v1/transactions/{id}', { params, query }, options))
  const act =
    (action: 'cancel' | 'suspend' | 'resume' | 'retry' | 'speed-up' | 'requeue' | 'close' | 'approve' | 'reject') =>
    (reason: string, options: CallOptions = {}) =>
      seen.take(request(`POST /v1/transactions/{id}/${action}`, { params, body: { reason } }, options))
  return {
    id,
    get snapshot() {
      return seen.value()
    },
    refresh: (options) => look({}, options),
    wait: (stage, options = {}) => waitForStage({ ...ports, snapshot: seen.value, look }, stage, options),
    explain: (options) => request('GET /v1/transactions/{id}/explain', { params }, options),
    history: (options) => readHistory(request, id, options),
    receipt: ({ include, ...options } = {}) =>
      request('GET /v1/transactions/{id}/receipt', { params, query: include ? { include } : {} }, options),
    attempts: async (options) => (await request('GET /v1/transactions/{id}/attempts', { params }, options)).items,
    confirmations: (options) => request('GET /v1/transactions/{id}/confirmations', { params }, options),
    cancel: act('cancel'),
    suspend: act('suspend'),
    resume: act('resume'),
    retry: act('retry'),
    speedUp: act('speed-up'),
    requeue: act('requeue'),
    close: act('close'),
    approve: act('approve'),
    reject: act('reject'),
    resolve: (body, options) => seen.take(request('POST /v1/transactions/{id}/resolve', { params, body }, options)),
  }
}

const MAX_PAGE = 200

/** Page by page. Resends are counted, not listed, so there is seldom more than one page. */
async function readHistory(request: Request, id: string, options: HistoryOptions = {}): Promise<readonly Event[]> {
  const { order, limit = Number.POSITIVE_INFINITY, ...callOptions } = options
  const items: Event[] = []
  for (let after: number | null | undefined; after !== null && items.length < limit; ) {
    const size = Math.min(MAX_PAGE, limit - items.length)
    const query = { limit: size, ...(order && { order }), ...(after !== undefined && { after }) }
    const page = await request('GET /v1/transactions/{id}/history', { params: { id }, query }, callOptions)
    items.push(...page.items)
    after = page.next
  }
  return items
}

/** If responses overtake each other, the one requested last is kept. */
function createLatest(first: Transaction) {
  let [value, asked, answered] = [first, 0, 0]
  return {
    value: () => value,
    async take(answer: Promise<Transaction>): Promise<Transaction> {
      const turn = ++asked
      const tx = await answer
      if (turn > answered) [value, answered] = [tx, turn]
      return tx
    },
  }
}
