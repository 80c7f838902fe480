import { beforeAll, expect, test } from 'vitest'
import { checkByContract } from './check-by-contract.ts'
import { type CheckRequest, toRowRequest } from './row-request.ts'

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

let check: CheckRequest
beforeAll(async () => {
  check = await checkByContract()
})

const read = (fields: Readonly<Record<string, unknown>>, defaults = {}) => toRowRequest(fields, defaults, check)

test('the cells of a row become a request', () => {
  const fields = {
    to: TO,
    value: '0.5ether',
    function: 'pay(address,uint256[])',
    args: `["${TO}",["1"]]`,
    maxFeePerGas: '30gwei',
    maxPriorityFeePerGas: '1gwei',
    gasLimit: '50000',
    priority: '5',
    finality: '3',
    simulate: 'false',
    'metadata.note': 'rent, May',
    requestId: 'r-1',
  }
  expect(read(fields, { from: FROM, speed: 'fast' })).toEqual({
    type: 'request',
    body: {
      from: FROM,
      to: TO,
      value: '500000000000000000',
      call: { function: 'pay(address,uint256[])', args: [TO, ['1']] },
      fees: { maxFeePerGas: '30000000000', maxPriorityFeePerGas: '1000000000' },
      gasLimit: '50000',
      priority: 5,
      finality: 3,
      simulate: false,
      speed: 'fast',
      metadata: { note: 'rent, May' },
      requestId: 'r-1',
    },
  })
})

test('a line of JSON may be a request body of the HTTP API', () => {
  const body = { from: FROM, to: TO, value: 7, call: { function: 'f(bool)', args: [true] }, metadata: { a: 'b' } }
  expect(read(body)).toEqual({ type: 'request', body })
})

test.each<[Readonly<Record<string, unknown>>, string, string]>([
  [{ to: TO, vallue: '1' }, 'vallue', 'did you mean value?'],
  [{ to: 'me' }, 'to', 'must be 0x followed by 40 hex digits'],
  [{ to: TO, value: '1.5' }, 'value', 'whole number of wei'],
  [{ to: TO, value: -1 }, 'value', 'must be a whole number'],
  [{ to: TO, args: '["1"]' }, 'args', 'needs function'],
  [{ to: TO, function: 'f(uint8)', args: '[256]' }, 'call.args[0]', 'does not fit in uint8'],
  [{ to: TO, function: 'f(uint8)', args: '256' }, 'call.args', 'must be an array'],
  [{ to: TO, function: 'f(uint8)', args: 'x' }, 'args', 'must be a JSON list'],
  [{ to: TO, priority: 'high' }, 'priority', 'must be a whole number'],
  [{ to: TO, gasPrice: '1gwei', maxFeePerGas: '1gwei' }, 'fees', 'must be either'],
  [{ value: '1' }, 'to', 'is required'],
  [{ to: TO, validUntil: 'tomorrow' }, 'validUntil', 'ISO 8601'],
])('%j is refused, and the field named', (fields, field, message) => {
  expect(read(fields, { from: FROM })).toEqual({
    type: 'invalid',
    problems: [{ field, message: expect.stringContaining(message) }],
  })
})

test('a function for all rows is called with the arguments of each row, unless the row has its own', () => {
  const defaults = { from: FROM, to: TO, function: 'f(uint8)' }
  expect(read({ args: '["1"]' }, defaults)).toMatchObject({ body: { call: { function: 'f(uint8)', args: ['1'] } } })
  expect(read({ function: 'g()', value: '1' }, defaults)).toMatchObject({ body: { call: { function: 'g()' } } })
  expect(read({ data: '0x12' }, defaults)).toEqual({ type: 'request', body: { from: FROM, to: TO, data: '0x12' } })
  expect(read({ value: '1' }, defaults)).toMatchObject({ problems: [{ field: 'call.args' }] })
})

test('all problems of a row are reported at once', () => {
  expect(read({ to: 'me', value: 'x', speed: 'warp' }, { from: FROM })).toMatchObject({
    problems: [{ field: 'value' }],
  })
  expect(read({ to: 'me', speed: 'warp' }, { from: FROM })).toMatchObject({
    problems: [{ field: 'to' }, { field: 'speed' }],
  })
})
