import { describe, expect, test } from 'vitest'
import { formHash, parseHash, parseSearch, type Route, toQuery } from './route.ts'

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ID = '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1'
const HASH = `0x${'ab'.repeat(32)}`

const ROUTES: readonly Exclude<Route, { page: 'unknown' }>[] = [
  { page: 'overview', group: 'all', from: null, after: null },
  { page: 'overview', group: 'stuck', from: ADDRESS, after: 'c:1~2=' },
  { page: 'overview', group: 'all', from: null, find: 'order=17 & more', order: 'asc', after: '9' },
  { page: 'transaction', key: ID },
  { page: 'signer', address: ADDRESS, after: null },
  { page: 'signer', address: ADDRESS, after: '17' },
]

describe('a link', () => {
  test.each(ROUTES)('opens its page: %j', (route) => {
    expect(parseHash(formHash(route))).toEqual(route)
  })

  test('that is empty opens the overview', () => {
    expect(parseHash('')).toEqual(ROUTES[0])
  })

  test.each(['#/nowhere', '#/tx/', '#/tx/a/b', '#/signer/0x12', '#/tx/%2e%2e'])(
    'to an unknown page says so: %s',
    (hash) => {
      expect(parseHash(hash)).toEqual({ page: 'unknown' })
    },
  )

  test('with an invalid filter shows everything', () => {
    expect(parseHash('#/?state=toString&from=me')).toEqual(ROUTES[0])
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
  ['order-', { requestIdPrefix: 'order-' }],
  ['=7', { requestIdPrefix: '=7' }],
])('a search text becomes the matching filter: %j', (find, query) => {
  expect(toQuery(find)).toEqual(query)
})
