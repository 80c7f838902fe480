/** A fetch that answers from a script and keeps what it was asked, and samples to answer with. */
import { expect } from 'vitest'
import type { Event, Transaction } from '../generated/api-types.ts'
import type { Fetch } from '../transport/connection.ts'

export const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const ID = '01890a5d-ac96-774b-bcce-b302099a8057'

export interface SeenRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  readonly body: any
  readonly text: string | null
  readonly redirect: string | undefined
}

/** A reply; an error, which is thrown as the network would; or `hang`: no answer until the request is given up. */
export type Reply = Response | Error | 'hang'
export type Script = (request: SeenRequest, count: number) => Reply | Promise<Reply>

export function stubService(script: Script): { readonly fetch: Fetch; readonly requests: SeenRequest[] } {
  const requests: SeenRequest[] = []
  return {
    requests,
    async fetch(input, init) {
      const text = typeof init.body === 'string' ? init.body : null
      const body = text === null ? null : JSON.parse(text)
      const { method = '', redirect } = init
      const request = { method, redirect, url: new URL(input), headers: new Headers(init.headers), body, text }
      requests.push(request)
      const reply = await script(request, requests.length)
      if (reply === 'hang') return hang(init.signal)
      if (reply instanceof Error) throw reply
      return reply
    },
  }
}

/** Answers in turn; asking for more than there is, is a mistake of the test or of the client. */
export function inTurn(...replies: readonly (Reply | (() => Reply))[]): Script {
  return (request, count) => {
    const reply = replies[count - 1]
    if (reply === undefined) throw new Error(`request ${count} was not expected: ${request.method} ${request.url.href}`)
    return typeof reply === 'function' ? reply() : reply
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

export function problem(status: number, code: string, extra: Record<string, unknown> = {}): Response {
  const { headers = {}, ...fields } = extra as { headers?: Record<string, string> }
  const body = { type: `urn:drover:error:${code}`, title: code, detail: `because ${code}`, status, code, ...fields }
  return json(body, status, { 'content-type': 'application/problem+json', ...headers })
}

export const NETWORK_DOWN = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })

export function transaction(change: Partial<Transaction> = {}): Transaction {
  return {
    id: ID,
    chainId: 1,
    from: ADDRESS,
    to: ADDRESS,
    data: '0x',
    value: '1',
    gasLimit: null,
    nonce: null,
    state: 'QUEUED',
    subState: 'accepted',
    hash: null,
    hashes: [],
    attempts: 0,
    receipt: null,
    inclusion: null,
    confirmations: { count: 0, required: 2, newForks: 0 },
    error: null,
    simulated: true,
    requestId: 'r',
    metadata: {},
    createdAt: '2030-01-01T00:00:00.000Z',
    submittedAt: null,
    minedAt: null,
    finalAt: null,
    fence: null,
    node: null,
    approval: null,
    fees: null,
    speed: 'standard',
    priority: 0,
    validUntil: null,
    notBefore: null,
    accessList: null,
    suspended: false,
    submitCount: 0,
    lastSubmitAt: null,
    nextResubmitAt: null,
    stuckAt: null,
    ...change,
  }
}

const HASH = `0x${'ab'.repeat(32)}` as const

export const sent = transaction({
  state: 'TRACKING',
  subState: 'pending',
  nonce: 0,
  hash: HASH,
  hashes: [HASH],
  attempts: 1,
  submittedAt: '2030-01-01T00:00:01.000Z',
})

export function mined(status: 'success' | 'reverted', change: Partial<Transaction> = {}): Transaction {
  const inclusion = { blockNumber: 7, blockHash: HASH }
  const paid = { gasUsed: '21000', effectiveGasPrice: '1', fee: '21000', contractAddress: null }
  const receipt = { transactionHash: HASH, transactionIndex: 0, ...inclusion, status, ...paid }
  return { ...sent, subState: 'mined', inclusion, receipt, minedAt: '2030-01-01T00:00:02.000Z', ...change }
}

export const confirmed = mined('success', {
  state: 'CONFIRMED',
  subState: 'final',
  finalAt: '2030-01-01T00:00:03.000Z',
})

export function event(eventId: number): Event {
  return {
    eventId,
    transactionId: ID,
    chainId: 1,
    from: ADDRESS,
    type: 'accepted',
    cause: null,
    fromState: null,
    toState: 'QUEUED',
    subState: 'accepted',
    node: null,
    fence: null,
    detail: {},
    count: 1,
    at: '2030-01-01T00:00:00.000Z',
    lastAt: '2030-01-01T00:00:00.000Z',
    completion: null,
  }
}

/** Never answers by itself; a test fails rather than waits for ever if nobody gives up. */
function hang(signal: AbortSignal | null | undefined): Promise<Response> {
  expect(signal).toBeInstanceOf(AbortSignal)
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}
