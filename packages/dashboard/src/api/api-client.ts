/** The calls that the page makes, all of them to its own origin. */
import { createAdminCalls } from './admin-calls.ts'
import type {
  AttemptResource,
  CallerResource,
  ChainResource,
  ConfirmationsResource,
  EventResource,
  ExplanationResource,
  FeesResource,
  KeyCheckResource,
  LaneResource,
  NodeResource,
  Readiness,
  ReceiptWithLogs,
  ReservationResource,
  ResetResource,
  RulesResource,
  TransactionResource,
} from './api-resources.ts'
import type { List } from './list.ts'
import { createRequester } from './requester.ts'
import { createTimerCalls } from './timer-calls.ts'

const HISTORY_PAGE = 100
const EVENT_PAGE = 200

export interface TransactionPage extends List<TransactionResource> {
  readonly next: string | null
}

export interface HistoryPage {
  /** Oldest first. */
  readonly entries: readonly EventResource[]
  /** Where the page before it is; null: there is none. */
  readonly earlier: number | null
}

export interface TransactionQuery {
  readonly states: readonly string[]
  readonly from: string | null
  /** Further filters, as the query has them. */
  readonly found?: Readonly<Record<string, string>>
  readonly order?: 'asc'
  readonly after: string | null
  readonly limit: number
}

export interface Transfer {
  readonly chainId: number
  readonly from: string
  readonly to: string
  /** Wei, in decimal. */
  readonly value: string
  /** Left out: a plain transfer. */
  readonly data?: string
}

/** What a node answers to a JSON-RPC call. */
export type RpcAnswer = { readonly result: string } | { readonly error: { readonly message: string } }

export interface ReservationPage extends List<ListedReservation> {
  readonly next: string | null
}

export interface ListedReservation {
  readonly nonce: number | null
  /** Null: another tenant's. */
  readonly reservation: ReservationResource | null
}

export interface TakenReservation {
  readonly reservation: ReservationResource
  readonly outcome: 'released' | 'filled' | 'left'
  readonly why: string | null
}

export interface TakeBack {
  readonly chainId: number
  readonly reason: string
  readonly reservationId?: string
}

/** `cancel-all`: and then reset the nonce. */
export type LaneOrder = 'pause' | 'resume' | 'fill-gap' | 'reset-nonce' | 'cancel-all' | 'remove'

export type OperatorAction = ExplanationResource['options'][number]['action']

export type ApiClient = ReturnType<typeof createApiClient>

export function createApiClient(ports: { readonly fetch: typeof fetch }) {
  const requester = createRequester(ports.fetch)
  const { get, call } = requester
  const post = <T = TransactionResource>(path: string, body: unknown, headers: Readonly<Record<string, string>>) =>
    call<T>('POST', path, body, headers)

  return {
    ...createAdminCalls(requester),
    ...createTimerCalls(requester),
    /** "Not ready" comes with status 503 and is an answer like any other. */
    async readReadiness(): Promise<Readiness> {
      const response = await requester.ask('/readyz')
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
      if (response.status === 503 && isJson) return (await response.json()) as Readiness
      return requester.readAnswer<Readiness>(response)
    },
    showCaller: () => get<CallerResource>('/v1/caller'),
    listChains: () => get<List<ChainResource>>('/v1/chains'),
    listSigners: () => get<List<LaneResource>>('/v1/signers'),
    listNodes: () => get<List<NodeResource>>('/v1/nodes'),
    getSigner: (address: string) =>
      get<{ lanes: readonly LaneResource[]; resets: readonly ResetResource[] }>(
        `/v1/signers/${encodeURIComponent(address)}`,
      ),
    changeSigner: (
      address: string,
      change: { readonly chainId: number; readonly policy: unknown; readonly reason: string },
    ) => call<LaneResource>('PATCH', `/v1/signers/${encodeURIComponent(address)}`, change),
    getRules: (address: string) => get<RulesResource>(`/v1/signers/${encodeURIComponent(address)}/rules`),
    setRules: (address: string, rules: unknown, reason: string) =>
      call<RulesResource>(
        'PUT',
        `/v1/signers/${encodeURIComponent(address)}/rules?${new URLSearchParams({ reason })}`,
        rules,
      ),
    clearRules: (address: string, reason: string) =>
      call<RulesResource>(
        'DELETE',
        `/v1/signers/${encodeURIComponent(address)}/rules?${new URLSearchParams({ reason })}`,
      ),
    listTransactions: (query: TransactionQuery) => get<TransactionPage>(`/v1/transactions?${formQuery(query)}`),
    getTransaction: (key: string) => get<TransactionResource>(`/v1/transactions/${encodeURIComponent(key)}`),
    listAttempts: (key: string) => get<List<AttemptResource>>(`/v1/transactions/${encodeURIComponent(key)}/attempts`),
    /** The newest page of it, or the one before a cursor. */
    async readHistory(key: string, before: number | null = null): Promise<HistoryPage> {
      const cursor = before === null ? '' : `&after=${before}`
      const path = `/v1/transactions/${encodeURIComponent(key)}/history?order=desc&limit=${HISTORY_PAGE}${cursor}`
      const { items, next } = await get<List<EventResource> & { readonly next: number | null }>(path)
      return { entries: items.toReversed(), earlier: next }
    },
    /** The newest events, oldest first, and the cursor after them. */
    async readTail(count: number): Promise<{ readonly items: readonly EventResource[]; readonly next: number }> {
      const read = (query: string) =>
        get<List<EventResource> & { readonly next: number }>(`/v1/events?${query}&limit=${EVENT_PAGE}`)
      let page = await read(`tail=${count}`)
      const items = [...page.items]
      // Bounded: while it is read, more may come without end.
      for (let pages = 1; page.items.length === EVENT_PAGE && pages < count / EVENT_PAGE; pages++) {
        page = await read(`after=${page.next}`)
        items.push(...page.items)
      }
      return { items, next: page.next }
    },
    readFees: (chainId: number) => get<FeesResource>(`/v1/chains/${chainId}/fees`),

    /** The receipt with its logs, which the service reads from the chain. */
    readReceipt: (key: string) =>
      get<ReceiptWithLogs>(`/v1/transactions/${encodeURIComponent(key)}/receipt?include=logs`),
    readConfirmations: (key: string) =>
      get<ConfirmationsResource>(`/v1/transactions/${encodeURIComponent(key)}/confirmations`),
    explainTransaction: (key: string) =>
      get<ExplanationResource>(`/v1/transactions/${encodeURIComponent(key)}/explain`),

    /** The same key again never sends twice. */
    sendTransfer: (transfer: Transfer, idempotencyKey: string) =>
      post('/v1/transactions', transfer, { 'idempotency-key': idempotencyKey }),

    /** Runs a call on the chain as it is now, without sending it. */
    estimateGas: ({ chainId, from, to, value, data }: Transfer) => {
      const call = { from, to, value: `0x${BigInt(value).toString(16)}`, ...(data !== undefined && { data }) }
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_estimateGas', params: [call] }
      return post<RpcAnswer>(`/rpc/${chainId}`, body, {})
    },

    readBalance: (chainId: number, address: string) =>
      post<RpcAnswer>(
        `/rpc/${chainId}`,
        { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [address, 'latest'] },
        {},
      ),

    /** What an operator does to a transaction; `body` has the reason. */
    operate: (key: string, action: OperatorAction, body: Readonly<Record<string, string>>) =>
      post(`/v1/transactions/${encodeURIComponent(key)}/${action}`, body, {}),

    listReservations: (address: string, chainId: number, after: string | null) =>
      get<ReservationPage>(
        `/v1/signers/${encodeURIComponent(address)}/nonces?${new URLSearchParams({ chainId: String(chainId), ...(after !== null && { after }) })}`,
      ),
    /** Takes reserved nonces from their holders; `body` has the chain and the reason. */
    takeBack: (address: string, action: 'release' | 'fill', body: TakeBack) =>
      post<List<TakenReservation>>(`/v1/signers/${encodeURIComponent(address)}/nonces/${action}`, body, {}),

    /** What an operator does to a lane; `body` has the chain and the reason. */
    orderLane: (address: string, order: LaneOrder, body: { readonly chainId: number; readonly reason: string }) => {
      const isCancel = order === 'cancel-all'
      const path = `/v1/signers/${encodeURIComponent(address)}/${isCancel ? 'reset-nonce' : order}`
      // A signer is removed from all chains.
      const { reason } = body
      const given = isCancel ? { ...body, cancelInFlight: true } : order === 'remove' ? { reason } : body
      return post<unknown>(path, given, {})
    },

    /** Signs a challenge with the key of a signer. */
    verifySigner: (address: string) =>
      call<KeyCheckResource>('POST', `/v1/signers/${encodeURIComponent(address)}/verify`),
  }
}

function formQuery({ states, from, found, order, after, limit }: TransactionQuery): URLSearchParams {
  return new URLSearchParams({
    limit: String(limit),
    ...(states.length > 0 && { state: states.join(',') }),
    ...(from !== null && { from }),
    ...found,
    ...(order !== undefined && { order }),
    ...(after !== null && { after }),
  })
}
