import { expect, test } from 'vitest'
import { presentRotation } from './present-rotation.ts'

test('a rotation says what to do next, and whether old ciphertext may remain', () => {
  expect(presentRotation({ changed: 2, keyId: 'ab', scrubbed: true })).toBe(
    'Encrypted 2 keys again under master key ab. Give the nodes this master key, then destroy the old one.',
  )
  expect(presentRotation({ changed: 0, keyId: 'ab', scrubbed: false })).toBe(
    'All keys are under master key ab. An older database transaction is still open, so old ciphertext may remain. Run this again.',
  )
})
