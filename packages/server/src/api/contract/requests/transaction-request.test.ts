import { describe, expect, test } from 'vitest'
import { AppError } from '../../../core/app-error.ts'
import { parseInput } from '../../parse-input.ts'
import { MAX_DATA_BYTES, transactionRequest } from './transaction-request.ts'

const FROM = '0x52908400098527886E0F7030069857D2E4169EE7'
const TO = '0x8617e340b3d01fa5f11f306f4090fd50e238070d'
const PLAIN = { from: FROM, to: TO }

function refusalOf(body: unknown): { field: unknown; detail: string } {
  try {
    parseInput(transactionRequest, body)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') {
      return { field: error.details.field, detail: error.message }
    }
    throw error
  }
  throw new Error('it was taken')
}

describe('what is taken', () => {
  test('the least that a request needs', () => {
    expect(parseInput(transactionRequest, PLAIN)).toEqual({
      chainId: null,
      from: FROM.toLowerCase(),
      to: TO,
      data: '0x',
      value: 0n,
      gasLimit: null,
      fees: null,
      speed: null,
      priority: null,
      validUntil: null,
      requestId: null,
      finality: null,
      simulate: null,
      metadata: {},
    })
  })

  test('everything that it can say', () => {
    const body = {
      chainId: 1,
      from: FROM,
      to: TO,
      data: '0xABCD',
      value: '0x10',
      gasLimit: 21_000,
      speed: 'fast',
      priority: -5,
      fees: { maxFeePerGas: '30000000000', maxPriorityFeePerGas: '1' },
      validUntil: '2030-01-31T13:00:00+01:00',
      requestId: 'order 17',
      finality: 12,
      simulate: false,
      metadata: { order: '17' },
    }
    expect(parseInput(transactionRequest, body)).toEqual({
      chainId: 1,
      from: FROM.toLowerCase(),
      to: TO,
      data: '0xabcd',
      value: 16n,
      gasLimit: 21_000n,
      speed: 'fast',
      priority: -5,
      validUntil: Date.UTC(2030, 0, 31, 12),
      requestId: 'order 17',
      fees: { type: 'eip1559', maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1n },
      finality: { type: 'confirmations', count: 12 },
      simulate: false,
      metadata: { order: '17' },
    })
  })

  test.each([
    [{ ...PLAIN, value: '115792089237316195423570985008687907853269984665640564039457584007913129639935' }],
    [{ ...PLAIN, from: FROM.toLowerCase() }],
    [{ ...PLAIN, from: `0x${FROM.slice(2).toUpperCase()}` }],
    [{ ...PLAIN, fees: { gasPrice: '1' } }],
    [{ ...PLAIN, finality: 'finalized' }],
    [{ ...PLAIN, data: `0x${'ab'.repeat(MAX_DATA_BYTES)}` }],
    [{ ...PLAIN, call: { function: 'pause()' } }],
    [{ from: FROM, data: '0x6001' }],
    [{ ...PLAIN, accessList: [{ address: TO, storageKeys: [`0x${'01'.repeat(32)}`] }] }],
    [{ from: FROM, to: null, data: '0x6001' }],
  ])('%#', (body) => {
    expect(() => parseInput(transactionRequest, body)).not.toThrow()
  })
})

describe('what is refused, and the field that is named', () => {
  test.each<[string, unknown, RegExp]>([
    ['from', { to: TO }, /40 hex digits/],
    ['from', { ...PLAIN, from: FROM.replace('E', 'e') }, /wrong checksum/],
    ['from', { ...PLAIN, from: 17 }, /40 hex digits/],
    ['to', { ...PLAIN, to: '0x12' }, /40 hex digits/],
    ['to', { from: FROM }, /is required/],
    ['to', { from: FROM, call: { function: 'pause()' } }, /is required/],
    ['chainId', { ...PLAIN, chainId: '1' }, /must be a number/],
    ['chainId', { ...PLAIN, chainId: 0 }, /at least 1/],
    ['chainId', { ...PLAIN, chainId: 1.5 }, /whole number/],
    ['value', { ...PLAIN, value: '1.5' }, /whole number/],
    ['value', { ...PLAIN, value: 1.5 }, /whole number/],
    ['value', { ...PLAIN, value: 1e21 }, /whole number/],
    ['value', { ...PLAIN, value: -1 }, /whole number/],
    ['value', { ...PLAIN, value: '0x' }, /whole number/],
    ['value', { ...PLAIN, value: `1${'0'.repeat(78)}` }, /whole number/],
    ['value', { ...PLAIN, value: null }, /whole number/],
    ['gasLimit', { ...PLAIN, gasLimit: '20999' }, /between 21000 and/],
    ['fees.gasPrice', { ...PLAIN, fees: { gasPrice: (2n ** 128n).toString() } }, /between 0 and/],
    ['data', { ...PLAIN, data: '0xabc' }, /even number/],
    ['data', { ...PLAIN, data: 'abcd' }, /0x/],
    ['data', { ...PLAIN, data: `0x${'ab'.repeat(MAX_DATA_BYTES + 1)}` }, /at most 130560 bytes/],
    ['call', { ...PLAIN, data: '0x', call: { function: 'pause()' } }, /together with data/],
    ['call.function', { ...PLAIN, call: { function: 'nonsense' } }, /signature like/],
    ['call.args[1]', { ...PLAIN, call: { function: 'transfer(address,uint256)', args: [TO, 'x'] } }, /whole number/],
    ['call.arguments', { ...PLAIN, call: { function: 'pause()', arguments: [] } }, /^unknown field: /],
    ['fees', { ...PLAIN, fees: { gasPrice: '1', maxFeePerGas: '1' } }, /either/],
    ['fees', { ...PLAIN, fees: {} }, /either/],
    ['fees.maxPriorityFeePerGas', { ...PLAIN, fees: { maxFeePerGas: '1', maxPriorityFeePerGas: '2' } }, /not be above/],
    ['fees.maxFeePerGas', { ...PLAIN, fees: { maxFeePerGas: 'a lot', maxPriorityFeePerGas: '2' } }, /whole number/],
    ['speed', { ...PLAIN, speed: 'ludicrous' }, /slow, standard, fast/],
    ['priority', { ...PLAIN, priority: 1_001 }, /at most 1000/],
    ['validUntil', { ...PLAIN, validUntil: '2030-01-31' }, /ISO 8601/],
    ['validUntil', { ...PLAIN, validUntil: '2030-01-31T12:00:00' }, /with a zone/],
    ['validUntil', { ...PLAIN, validUntil: '0001-01-31T12:00:00Z' }, /1970/],
    ['requestId', { ...PLAIN, requestId: '' }, /1 to 200 printable/],
    ['requestId', { ...PLAIN, requestId: 'a'.repeat(201) }, /1 to 200 printable/],
    ['requestId', { ...PLAIN, requestId: 'a\nb' }, /1 to 200 printable/],
    ['finality', { ...PLAIN, finality: 'soon' }, /"safe" or "finalized"/],
    ['finality', { ...PLAIN, finality: -1 }, /"safe" or "finalized"/],
    ['simulate', { ...PLAIN, simulate: 'no' }, /boolean/],
    ['metadata.order', { ...PLAIN, metadata: { order: 17 } }, /must be a string/],
    ['metadata.order', { ...PLAIN, metadata: { order: 'x'.repeat(513) } }, /at most 512/],
    [`metadata.${'k'.repeat(65)}`, { ...PLAIN, metadata: { ['k'.repeat(65)]: 'v' } }, /1 to 64 characters/],
    ['metadata.order', { ...PLAIN, metadata: { order: 'a\0b' } }, /zero characters/],
    ['metadata.order', { ...PLAIN, metadata: { order: '\ud800' } }, /valid text/],
    ['metadata', { ...PLAIN, metadata: manyEntries(33) }, /at most 32 entries/],
    ['nonce', { ...PLAIN, nonce: 7 }, /^unknown field: /],
  ])('%s %#', (field, body, detail) => {
    const refusal = refusalOf(body)
    expect(refusal.field).toBe(field)
    expect(refusal.detail).toMatch(detail)
    const named = refusal.detail.replace('unknown field: ', '')
    expect(named.startsWith(`${field} `) || named === `${field}.`).toBe(true)
  })

  test('an empty body: every field that is missing, in one answer', () => {
    expect(refusalOf({}).detail).toBe(
      'from is required and must be 0x followed by 40 hex digits; to is required, unless data deploys a contract.',
    )
  })

  test.each([
    ['maxFeePerGas', /\(put it in fees: {"fees":{"maxFeePerGas":"…","maxPriorityFeePerGas":"…"}}\)/],
    ['gasPrice', /^unknown field: gasPrice \(put it in fees/],
    ['gas', /^unknown field: gas \(use gasLimit\)/],
  ])('%s in the wrong place: where it belongs', (field, detail) => {
    expect(refusalOf({ ...PLAIN, [field]: '1' }).detail).toMatch(detail)
  })

  test.each([[null], ['text'], [[]], [17]])('a body that is not an object: %j', (body) => {
    expect(refusalOf(body)).toEqual({ field: undefined, detail: expect.stringMatching(/must be an object/) })
  })
})

function manyEntries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'v']))
}
