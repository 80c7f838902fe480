import { describe, expect, test } from 'vitest'
import { parseTransactionParams } from './transaction-params.ts'

const FROM = `0x${'11'.repeat(20)}`
const KEY = `0x${'22'.repeat(32)}`
const parse = (more: object) => parseTransactionParams([{ from: FROM, to: FROM, ...more }], 5, null)

test.each<[string, object]>([
  ['nulls', { data: null, input: null, gas: null, gasPrice: null, nonce: null, type: null, accessList: null }],
  ['a null of a field that is not known', { blobVersionedHashes: null, sidecar: null }],
  ['empty lists', { accessList: [], authorizationList: [], blobVersionedHashes: [] }],
  ['empty data', { data: '' }],
  ['empty data under both names', { data: '0x', input: '' }],
])('%s say nothing', (_name, more) => {
  expect(parse(more)).toEqual(parse({}))
})

describe('fees', () => {
  const market = (maxFeePerGas: bigint | null, maxPriorityFeePerGas: bigint | null) => ({
    type: 'eip1559',
    maxFeePerGas,
    maxPriorityFeePerGas,
  })
  test.each<[object, object | null]>([
    [{}, null],
    [{ type: 2 }, null],
    [{ type: '0x2' }, null],
    [{ maxFeePerGas: '0x9' }, market(9n, null)],
    [{ maxPriorityFeePerGas: '0x9', type: 2 }, market(null, 9n)],
    [{ maxPriorityFeePerGas: '0x1', maxFeePerGas: '0x9' }, market(9n, 1n)],
    [{ gasPrice: '0x7' }, { type: 'legacy', gasPrice: 7n }],
    [
      { gasPrice: '0x7', type: 1 },
      { type: 'legacy', gasPrice: 7n },
    ],
    [{ gasPrice: '0x7', type: 2 }, market(7n, 7n)],
    [{ type: 0 }, { type: 'legacy', gasPrice: null }],
  ])('%j', (more, expected) => {
    expect(parse(more).fees).toEqual(expected)
  })
})

test('an access list and a nonce are kept', () => {
  const accessList = [{ address: FROM, storageKeys: [KEY] }]
  expect(parse({ accessList, nonce: '0x1f' })).toMatchObject({ accessList, exactNonce: 31 })
})

test.each<[string, object, RegExp]>([
  ['a field that is not known', { blobs: ['0x00'] }, /unknown field: blobs/],
  ['a list of authorisations', { authorizationList: [{}] }, /unknown field: authorizationList/],
  ['a decimal', { value: '10' }, /value must be a 0x-hex quantity/],
  ['a number where it could be meant either way', { value: 10 }, /value must be a 0x-hex quantity/],
  ['a type that is not signed', { type: 3 }, /type 0x3 is not supported/],
  ['a type that is none', { type: 'two' }, /type must be a transaction type/],
  ['two prices', { gasPrice: '0x1', maxFeePerGas: '0x1' }, /^both gasPrice and \(maxFeePerGas/],
  ['a price of another type', { type: 0, maxFeePerGas: '0x1' }, /type 0x0 takes gasPrice/],
  ['a tip above the most', { maxPriorityFeePerGas: '0x9', maxFeePerGas: '0x1' }, /higher than max fee per gas/],
  ['an access list that is none', { accessList: [{ address: FROM }] }, /accessList\[0\]\.storageKeys/],
  ['a key that is none', { accessList: [{ address: FROM, storageKeys: ['0x1'] }] }, /storageKeys\[0\]/],
  [
    'too long a list',
    {
      accessList: [
        { address: FROM, storageKeys: Array(600).fill(KEY) },
        { address: FROM, storageKeys: Array(600).fill(KEY) },
      ],
    },
    /at most 1000 addresses and storage keys/,
  ],
  ['a nonce past all counting', { nonce: '0x20000000000001' }, /nonce must be at most/],
  ['no receiver', { to: null }, /^to is required, unless data deploys a contract/],
  ['no receiver and empty data', { to: null, data: '', input: '0x' }, /^to is required/],
  [
    'no sender and no receiver',
    { from: undefined, to: undefined },
    /^from is required.*; to is required, unless data deploys/,
  ],
  ['a wrong receiver', { to: '0x1' }, /^to must be 0x followed by 40 hex digits\.$/],
])('%s is refused', (_name, more, message) => {
  expect(() => parse(more)).toThrow(message)
})
