import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endOfPrefix } from './text-prefix.ts'

test.each([
  ['order-', 'order.'],
  ['a\u{10ffff}', 'b'],
  ['\ud7ff', '\ue000'],
  ['', null],
  ['\u{10ffff}', null],
])('%j ends before %j', (prefix, end) => {
  expect(endOfPrefix(prefix)).toBe(end)
})

test('a text begins with the prefix exactly if it lies in the range', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4 })
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  fc.assert(
    fc.property(text, text, fc.boolean(), (prefix, other, joined) => {
      const candidate = joined ? prefix + other : other
      const end = endOfPrefix(prefix)
      const isInRange = compare(candidate, prefix) >= 0 && (end === null || compare(candidate, end) < 0)
      expect(isInRange).toBe(candidate.startsWith(prefix))
    }),
  )
})
