import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSecretBox } from './secret-box.ts'

const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)]
const SECRET = 'whsec_c2VjcmV0'

test('what is sealed shows nothing, is different each time, and opens only under its key and for its row', () => {
  const box = createSecretBox([KEY])
  const [sealed, again] = [box.seal(SECRET, 'row 1'), box.seal(SECRET, 'row 1')]
  expect(sealed).not.toContain(SECRET.slice(6))
  expect(sealed).not.toBe(again)
  expect([box.open(sealed, 'row 1'), box.open(again, 'row 1')]).toEqual([SECRET, SECRET])
  expect(() => box.open(sealed, 'row 2')).toThrow()
  expect(() => box.open(`${sealed.slice(0, -2)}AA`, 'row 1')).toThrow()
  expect(createSecretBox([NEW_KEY]).open(sealed, 'row 1')).toBeNull()
  expect(createSecretBox([]).open(sealed, 'row 1')).toBeNull()
})

test('a key is changed by putting a new one before it', () => {
  const old = createSecretBox([KEY]).seal(SECRET, 'row')
  const both = createSecretBox([NEW_KEY, KEY])
  expect(both.open(old, 'row')).toBe(SECRET)
  expect([both.isCurrent(old), both.isCurrent(both.seal(SECRET, 'row')), both.isCurrent(SECRET)]).toEqual([
    ...[false, true, false],
  ])
})

test('without a key secrets are stored as they are, and stay readable once there is one', () => {
  const box = createSecretBox([])
  expect([box.hasKey, box.seal(SECRET, 'row'), box.open(SECRET, 'row'), box.isCurrent(SECRET)]).toEqual([
    ...[false, SECRET, SECRET, true],
  ])
  expect(createSecretBox([KEY]).open(SECRET, 'row')).toBe(SECRET)
})
