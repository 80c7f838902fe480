import { expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { createTenantPool } from './tenant-pool.ts'

function create(size: number, sharePercent?: number) {
  return createTenantPool({
    what: 'seats',
    size,
    sharePercent,
    retryAfterMs: 2_000,
    whenFull: () => new AppError('overloaded', 'full'),
  })
}

function codeOf(run: () => unknown): unknown {
  try {
    run()
    return 'entered'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code
  }
}

test('one tenant gets half and learns which limit it reached; the others get the rest [G12]', () => {
  const pool = create(10)
  const leave = Array.from({ length: 5 }, () => pool.enter('greedy'))
  expect(() => pool.enter('greedy')).toThrow(
    expect.objectContaining({
      code: 'tenant_limit',
      details: { bound: 'seats', limit: 5, retryAfterMs: 2_000 },
    }),
  )
  for (const tenant of ['a', 'b', 'c', 'd', 'e']) expect(codeOf(() => pool.enter(tenant))).toBe('entered')
  expect(codeOf(() => pool.enter('f'))).toBe('overloaded')
  leave[0]?.()
  // Given back once, however often it is said.
  leave[0]?.()
  expect([pool.used(), codeOf(() => pool.enter('f')), codeOf(() => pool.enter('g'))]).toEqual([
    9,
    'entered',
    'overloaded',
  ])
})

test('without keys there is one tenant, which gets all', () => {
  const pool = create(4)
  for (let count = 0; count < 4; count++) pool.enter(null)
  expect(codeOf(() => pool.enter(null))).toBe('overloaded')
})

test('a share is never nothing, and what is larger than a share goes alone', () => {
  const pool = create(1, 10)
  const leave = pool.enter('a')
  expect(codeOf(() => pool.enter('a'))).toBe('tenant_limit')
  leave()
  const bytes = create(100)
  const done = bytes.enter('a', 80)
  expect(codeOf(() => bytes.enter('a', 1))).toBe('tenant_limit')
  expect(codeOf(() => bytes.enter('b', 30))).toBe('overloaded')
  expect(codeOf(() => bytes.enter('b', 20))).toBe('entered')
  done()
  expect(bytes.used()).toBe(20)
})
