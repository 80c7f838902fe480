import type { NonceReset } from '@drover/client'
import { expect, test } from 'vitest'
import { PLAIN } from '../output/style.ts'
import { presentReset } from './present-reset.ts'

const RESET = { id: 'r', state: 'CANCELLING', fromNonce: null, toNonce: null, refusal: null, progress: null }

test.each([
  [{}, null],
  [{ toNonce: 7 }, /^nonce +set to 7$/m],
  [{ fromNonce: 9, toNonce: 7 }, /^nonce +9 to 7$/m],
])('a reset %o shows the nonce once there is one', (change, said) => {
  const text = presentReset({ ...RESET, ...change } as unknown as NonceReset, PLAIN)
  if (said === null) expect(text).not.toContain('nonce')
  else expect(text).toMatch(said)
})
