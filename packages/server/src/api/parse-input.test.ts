import { expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../core/app-error.ts'
import { parseInput } from './parse-input.ts'

const schema = z.strictObject({
  name: z.string().optional(),
  list: z.array(z.string()).optional(),
  entries: z.record(z.string(), z.string()).optional(),
})

function refusalOf(input: unknown): AppError {
  try {
    parseInput(schema, input)
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error('it was not refused')
}

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))

test('at most 20 problems are listed, with the number of the rest', () => {
  const unknown = refusalOf(many(500)).details
  expect(unknown).toMatchObject({ field: 'k0', more: 480 })
  expect(unknown.issues).toHaveLength(20)
  const wrong = refusalOf({ entries: many(500), name: 1, list: [1, 2] }).details
  expect(wrong).toMatchObject({ more: 483 })
  expect(wrong.issues).toHaveLength(20)
  expect(refusalOf({ name: 1 }).details).not.toHaveProperty('more')
})

test('a name of the caller’s is repeated up to a length', () => {
  const { message, details } = refusalOf({ ['x'.repeat(1_000_000)]: 1 })
  expect(message).toBe(`unknown field: ${'x'.repeat(100)}….`)
  expect(JSON.stringify(details).length).toBeLessThan(500)
})

test('what has more entries than anything here may have is not looked into', () => {
  expect(refusalOf(many(10_001)).message).toBe('The request must have at most 10000 entries.')
  expect(refusalOf({ list: Array.from({ length: 10_001 }, () => 1) }).message).toBe(
    'list must have at most 10000 entries.',
  )
  expect(refusalOf({ list: [{}, { a: { b: many(10_001) } }] }).details.field).toBe('list[1].a.b')
})
