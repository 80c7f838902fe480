/** What each route says to an empty body: every field that it needs, at once. */
import { expect, test } from 'vitest'
import { AppError } from '../core/app-error.ts'
import { parseInput } from './parse-input.ts'
import { NO_INPUT } from './route.ts'
import { ROUTES } from './routes.ts'

const WITH_BODY = ROUTES.filter(({ method }) => method === 'POST' || method === 'PUT' || method === 'PATCH')

/** `''` is the request as a whole, and none: it may be empty. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/transactions': ['from', 'to'],
  'POST /v1/transactions/batch': ['transactions'],
  'POST /v1/transactions/{id}/suspend': ['reason'],
  'POST /v1/transactions/{id}/resume': ['reason'],
  'POST /v1/transactions/{id}/retry': ['reason'],
  'POST /v1/transactions/{id}/speed-up': ['reason'],
  'POST /v1/transactions/{id}/cancel': ['reason'],
  'POST /v1/transactions/{id}/resolve': ['reason'],
  'POST /v1/transactions/{id}/requeue': ['reason'],
  'POST /v1/transactions/{id}/close': ['reason'],
  'POST /v1/transactions/{id}/approve': ['reason'],
  'POST /v1/transactions/{id}/reject': ['reason'],
  'POST /v1/signers': ['chainId', 'address'],
  'PATCH /v1/signers/{address}': [''],
  'POST /v1/signers/{address}/pause': ['reason'],
  'POST /v1/signers/{address}/resume': ['reason'],
  'POST /v1/signers/{address}/verify': [],
  'POST /v1/signers/{address}/remove': ['reason'],
  'POST /v1/signers/{address}/reset-nonce': ['reason'],
  'POST /v1/signers/{address}/fill-gap': ['reason'],
  'PUT /v1/signers/{address}/rules': [],
  'POST /v1/signers/{address}/nonces': [],
  'POST /v1/signers/{address}/nonces/release': ['reason'],
  'POST /v1/signers/{address}/nonces/fill': ['reason'],
  'POST /v1/nonces/{id}/use': ['lockOwner', 'hash'],
  'POST /v1/nonces/{id}/extend': ['lockOwner', 'ttlMs'],
  'POST /v1/nonces/{id}/release': ['lockOwner'],
  'POST /v1/webhooks': ['url'],
  'PATCH /v1/webhooks/{id}': [''],
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver': [],
  'POST /v1/webhooks/{id}/test': [],
  'POST /v1/timers': ['from', 'to', 'schedule'],
  'PATCH /v1/timers/params': [''],
  'PATCH /v1/timers/{id}': [''],
  'POST /v1/timers/{id}/pause': [],
  'POST /v1/timers/{id}/resume': [],
  'POST /v1/api-keys': ['name', 'scopes'],
  'PUT /v1/api-keys/{id}/rules': [],
}

test('the table has every route with a body', () => {
  expect(Object.keys(NEEDED).sort()).toEqual(WITH_BODY.map(nameOf).sort())
})

test.each(WITH_BODY.map((route) => [nameOf(route), route] as const))('%s {}', (name, route) => {
  expect(findNeeded(route.body)).toEqual(NEEDED[name])
})

test('a signer needs an address or a new key, not both', () => {
  const { body } = ROUTES.find(({ operationId }) => operationId === 'registerSigner') ?? NO_INPUT
  const address = `0x${'11'.repeat(20)}`
  expect(() => parseInput(body, {})).toThrow(
    'chainId is required (number); address is required, unless createKey is true.',
  )
  expect(() => parseInput(body, { address: 'me' })).toThrow(
    /^chainId is required \(number\); address must be 0x [^;]*$/,
  )
  expect(() => parseInput(body, { chainId: 1, address, createKey: true })).toThrow(
    'address must be left out if createKey is true.',
  )
  expect(() => parseInput(body, null)).toThrow('The request must be an object.')
})

function nameOf({ method, path }: (typeof ROUTES)[number]): string {
  return `${method} ${path}`
}

function findNeeded(body: (typeof ROUTES)[number]['body']): readonly string[] {
  if (body === NO_INPUT.body) return []
  try {
    parseInput(body, {})
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.details.issues as readonly { readonly field: string }[]).map(({ field }) => field)
  }
}
