import { expect, test } from 'vitest'
import { createSystemRandom } from './system-random.ts'

const { id, fraction } = createSystemRandom()

test('an id is a UUID of version 7: it starts with the time, and the rest is random', () => {
  const nowMs = Date.UTC(2026, 10, 16)
  const ids = Array.from({ length: 1_000 }, () => id(nowMs))
  for (const each of ids) expect(each).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(1_000)
  expect(Number.parseInt(ids[0]?.replaceAll('-', '').slice(0, 12) ?? '', 16)).toBe(nowMs)
})

test('ids of later milliseconds sort after earlier ones', () => {
  const ids = [0, 1, 0xffff, 0x10000, Date.now(), Date.now() + 1].map((nowMs) => id(nowMs))
  expect([...ids].sort()).toEqual(ids)
})

test('a fraction is at least 0 and less than 1', () => {
  for (let round = 0; round < 1_000; round++) {
    const drawn = fraction()
    expect(drawn >= 0 && drawn < 1).toBe(true)
  }
})
