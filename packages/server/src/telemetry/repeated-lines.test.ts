import { expect, test } from 'vitest'
import { createRepeatedLines } from './repeated-lines.ts'

function setUp() {
  const state = { now: 0 }
  return { state, lines: createRepeatedLines(() => state.now) }
}

test('the same error again is left out for a minute, and then told with the count', () => {
  const { state, lines } = setUp()
  const say = (port: number) => lines.admit('cannot be renewed', { error: new Error(`connect ECONNREFUSED :${port}`) })
  expect([say(1), say(2), say(3)]).toEqual([0, null, null])
  state.now = 60_000
  expect([say(4), say(5)]).toEqual([2, null])
})

test('another cause, chain or transaction is another line', () => {
  const { lines } = setUp()
  const say = (fields: Record<string, unknown>) => lines.admit('failed', fields)
  expect(say({ chainId: 1, error: 'down' })).toBe(0)
  expect(say({ chainId: 2, error: 'down' })).toBe(0)
  expect(say({ chainId: 1, error: 'limited' })).toBe(0)
  expect(say({ chainId: 1, txId: 'a', error: 'down' })).toBe(0)
  expect(say({ chainId: 1, signer: 'other', error: 'down' })).toBeNull()
})

test('lines without an error are the same only if all of them is', () => {
  const { lines } = setUp()
  expect(lines.admit('stuck', { txId: 'a', feeWei: 1n })).toBe(0)
  expect(lines.admit('stuck', { txId: 'b', feeWei: 1n })).toBe(0)
  expect(lines.admit('stuck', { txId: 'a', feeWei: 1n })).toBeNull()
})

test('what is remembered has a bound', () => {
  const { lines } = setUp()
  lines.admit('first', {})
  for (let index = 0; index < 1_000; index++) lines.admit(`line ${index}`, {})
  expect(lines.admit('first', {})).toBe(0)
})
