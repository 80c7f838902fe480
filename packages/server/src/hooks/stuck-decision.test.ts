import { expect, test } from 'vitest'
import { parseStuckDecision } from './stuck-decision.ts'

const HASH = `0x${'Ab'.repeat(32)}`

test('each decision is read', () => {
  expect(parseStuckDecision({ action: 'wait' })).toEqual({ action: 'wait' })
  for (const action of ['retry', 'bump', 'cancel', 'resolve', 'requeue', 'close']) {
    expect(parseStuckDecision({ action, reason: ' because ' })).toEqual({ action, reason: 'because' })
  }
  expect(parseStuckDecision({ action: 'resolve', reason: 'seen', hash: HASH })).toEqual({
    action: 'resolve',
    reason: 'seen',
    hash: HASH.toLowerCase(),
  })
})

test.each([
  null,
  'retry',
  {},
  { action: 'delete', reason: 'x' },
  { action: 'retry' },
  { action: 'retry', reason: '  ' },
  { action: 'retry', reason: 'x'.repeat(501) },
  { action: 'resolve', reason: 'x', hash: '0x12' },
])('what is none is refused: %j', (answer) => {
  expect(() => parseStuckDecision(answer)).toThrow('the stuck hook gave an invalid answer')
})
