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

const nested = z
  .strictObject({
    fees: z.strictObject({ maxFeePerGas: z.string(), gasPrice: z.string() }).partial().optional(),
    policy: z.strictObject({ maxFeePerGas: z.string().optional(), maxInFlight: z.int().optional() }).optional(),
    gasLimit: z.string().optional(),
    list: z.array(z.strictObject({ data: z.string().optional() })).optional(),
  })
  .transform((given) => given)
const bare = z.strictObject({ limit: z.string().optional() })
const policyOnly = z.strictObject({ policy: nested.in.shape.policy })

test.each<[string, z.ZodType, object, string]>([
  [
    'where there are fees',
    nested,
    { gasPrice: '1' },
    'unknown field: gasPrice (put it in fees: {"fees":{"gasPrice":"…"}}).',
  ],
  [
    'where there is a policy',
    policyOnly,
    { maxFeePerGas: '1' },
    'unknown field: maxFeePerGas (put it in policy: {"policy":{"maxFeePerGas":"…"}}).',
  ],
  ['where it has another name', nested, { gas: '1' }, 'unknown field: gas (use gasLimit).'],
  ['where nonces are assigned', nested, { nonce: 1 }, 'unknown field: nonce (Drover assigns nonces).'],
  ['inside', nested, { list: [{ input: '0x' }] }, 'unknown field: list[0].input (use data).'],
  ['not elsewhere inside', nested, { list: [{ gas: '1' }] }, 'unknown field: list[0].gas.'],
  ['not where nothing of it is known', bare, { gas: '1' }, 'unknown field: gas.'],
  ['nor fees', bare, { maxFeePerGas: '1' }, 'unknown field: maxFeePerGas.'],
  ['nor nonces', bare, { nonce: '1' }, 'unknown field: nonce.'],
])('an unknown field gets a hint only where that helps: %s', (_where, schema, input, message) => {
  expect(() => parseInput(schema, input)).toThrow(expect.objectContaining({ message }))
})

test('the sentence names three problems, and says how many more there are', () => {
  expect(refusalOf({ a: 1, b: 1, c: 1 }).message).toBe('unknown field: a; unknown field: b; unknown field: c.')
  expect(refusalOf({ a: 1, b: 1, c: 1, d: 1, e: 1 }).message).toBe(
    'unknown field: a; unknown field: b; unknown field: c; and 2 more.',
  )
  expect(refusalOf(many(500)).message).toMatch(/; and 497 more\.$/)
})

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
