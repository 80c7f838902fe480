import { expect, test } from 'vitest'
import { spellError } from './spell-error.ts'

test.each([
  [{ code: 'a', message: 'cannot pay' }, 'cannot pay.'],
  [{ code: 'a', message: 'It reverts: no.' }, 'It reverts: no.'],
  [{ code: 'a', message: 'cannot pay', reason: 'need 5' }, 'cannot pay. The node said: "need 5".'],
  [{ code: 'a', message: 'cannot pay', reason: '' }, 'cannot pay.'],
  [{ code: 'a', message: 'it reverts: no', reason: 'no' }, 'it reverts: no.'],
  [{ code: 'chain_unavailable', message: 'no answer', reason: 'fees: timeout' }, 'no answer. Error: "fees: timeout".'],
  [
    { code: 'a', message: 'no answer', reason: 'connect ECONNREFUSED 127.0.0.1:1' },
    'no answer. Error: "connect ECONNREFUSED 127.0.0.1:1".',
  ],
  [null, 'no reason was kept.'],
] as const)('%o', (error, words) => {
  expect(spellError(error, 'no reason was kept')).toBe(words)
})
