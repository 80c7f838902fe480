import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { collectEntries, readAmount, readFinality, readInstant, readInstantOrSpan } from './option-value.ts'

test('amounts become decimal strings of wei', () => {
  expect(readAmount('1.5gwei')).toBe('1500000000')
  expect(() => readAmount('lots')).toThrow(InvalidArgumentError)
})

test('entries: everything after the first "=" is the value', () => {
  const entries = ['note=a=b', '__proto__=x', 'empty='].reduce<Readonly<Record<string, string>> | undefined>(
    (before, text) => collectEntries(text, before),
    undefined,
  )
  expect(Object.entries(entries ?? {})).toEqual([
    ['note', 'a=b'],
    ['__proto__', 'x'],
    ['empty', ''],
  ])
  expect(() => collectEntries('=x')).toThrow('name=value')
})

test('an instant needs a zone', () => {
  expect(readInstant('2030-01-31T12:00:00+02:00')).toBe('2030-01-31T10:00:00.000Z')
  for (const text of ['2030-01-31', '2030-01-31T12:00:00', '10m', 'tomorrow', '2030-13-31T12:00:00Z']) {
    expect(() => readInstant(text), text).toThrow('ISO 8601')
  }
})

test('a duration counts from now, forward or back', () => {
  const before = Date.now()
  const later = Date.parse(readInstantOrSpan(1)('10m'))
  const earlier = Date.parse(readInstantOrSpan(-1)('10m'))
  expect(later - before).toBeGreaterThanOrEqual(600_000)
  expect(earlier).toBeLessThanOrEqual(Date.now() - 600_000)
  // Ten of what?
  expect(() => readInstantOrSpan(1)('10')).toThrow('duration')
})

test('finality', () => {
  expect([readFinality('12'), readFinality('safe')]).toEqual([12, 'safe'])
  expect(() => readFinality('-1')).toThrow('confirmations')
})
