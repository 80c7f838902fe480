import { describe, expect, test } from 'vitest'
import { formHash, type KnownRoute, parseHash, parseSearch, toFilter, toQuery } from './route.ts'

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ID = '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1'
const HASH = `0x${'ab'.repeat(32)}`

const ROUTES: readonly KnownRoute[] = [
  { page: 'overview' },
  { page: 'transactions', group: 'all', from: null },
  { page: 'transactions', group: 'stuck', from: ADDRESS },
  { page: 'transactions', group: 'all', from: null, find: 'order=17 & more', order: 'asc' },
  { page: 'transaction', key: ID },
  { page: 'signers' },
  { page: 'signer', address: ADDRESS, after: null },
  { page: 'signer', address: ADDRESS, after: '17' },
  { page: 'timers' },
  { page: 'webhooks' },
  { page: 'webhook', id: ID },
  { page: 'access' },
  { page: 'cluster' },
  { page: 'send' },
]

describe('a link', () => {
  test.each(ROUTES)('opens its page: %j', (route) => {
    expect(parseHash(formHash(route))).toEqual(route)
  })

  test('that is empty opens the overview', () => {
    expect(parseHash('')).toEqual(ROUTES[0])
  })

  test('of the time when the list was on the overview still opens the list', () => {
    expect(parseHash('#/?state=stuck')).toEqual({ page: 'transactions', group: 'stuck', from: null })
  })

  test.each(['#/nowhere', '#/tx/', '#/tx/a/b', '#/signer/0x12', '#/tx/%2e%2e'])(
    'to an unknown page says so: %s',
    (hash) => {
      expect(parseHash(hash)).toEqual({ page: 'unknown' })
    },
  )

  test('with an invalid filter shows everything', () => {
    expect(parseHash('#/transactions?state=toString&from=me')).toEqual(ROUTES[1])
  })
})

describe('the search field', () => {
  test('accepts ids, hashes and addresses, with spaces around', () => {
    expect(parseSearch(` ${ID.toUpperCase()} `)).toEqual({ page: 'transaction', key: ID })
    expect(parseSearch(HASH)).toEqual({ page: 'transaction', key: HASH })
    expect(parseSearch(ADDRESS)).toEqual({ page: 'signer', address: ADDRESS, after: null })
  })

  test.each(['', '17', '0x1234', `${HASH}00`, 'payout-1'])('accepts nothing else: %j', (text) => {
    expect(parseSearch(text)).toBeNull()
  })
})

test.each([
  [undefined, {}],
  [ADDRESS, { to: ADDRESS }],
  ['customer=7', { metadata: 'customer=7' }],
  ['0017', { nonce: '17' }],
  ['order-', { requestIdPrefix: 'order-' }],
  ['=7', { requestIdPrefix: '=7' }],
])('a search text becomes the matching filter: %j', (find, query) => {
  expect(toQuery(find)).toEqual(query)
})

test('those to approve are queued, and of one sub-state', () => {
  expect(toFilter({ group: 'approval', from: null, find: '7' })).toEqual({
    states: ['QUEUED'],
    from: null,
    found: { nonce: '7', subState: 'awaiting_approval' },
  })
  expect(toFilter({ group: 'queued', from: null })).toEqual({ states: ['QUEUED'], from: null, found: {} })
})
