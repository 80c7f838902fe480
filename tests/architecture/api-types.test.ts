/** The generator of the client's types: what it makes of each construct, and that it refuses what it does not know. */
import { describe, expect, test } from 'vitest'
import { buildApiTypes } from '../../scripts/api-types.ts'
import { type Schema, typeOfSchema } from '../../scripts/json-schema-type.ts'

describe('a schema becomes a type', () => {
  test.each<[Schema, string]>([
    [{ type: 'string', maxLength: 3, format: 'uuid' }, 'string'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the type that is written out
    [{ type: 'string', pattern: '^0x[0-9a-f]{64}$' }, '`0x${string}`'],
    [{ type: 'integer', minimum: 0 }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', enum: ['a', "it's"] }, "'a' | 'it\\'s'"],
    [{ type: 'string', const: 'a' }, "'a'"],
    [{}, 'unknown'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'AmountInput'],
    [{ anyOf: [{ type: 'integer' }, { enum: ['safe'] }, { type: 'null' }] }, "number | 'safe' | null"],
    [{ type: 'array', items: { $ref: '#/components/schemas/Lane' } }, 'readonly Lane[]'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, 'readonly (string | null)[]'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Readonly<Record<string, string>>'],
    [{ type: 'object', properties: { a: { type: 'null' } } }, '{\n  readonly a?: null\n}'],
    [
      {
        type: 'object',
        required: ['a'],
        additionalProperties: {},
        properties: { a: { type: 'object', properties: { b: { description: 'Why.' } } } },
      },
      '{\n  readonly a: {\n    /** Why. */\n    readonly b?: unknown\n  }\n  readonly [other: string]: unknown\n}',
    ],
  ])('%j', (schema, type) => {
    expect(typeOfSchema(schema, 'it')).toBe(type)
  })
})

describe('an unknown keyword is refused, with its path', () => {
  test.each<[Schema, RegExp]>([
    [{ allOf: [] }, /^it: allOf/],
    [{ type: 'object', properties: { a: { type: 'string', not: {} } } }, /^it\.a: not/],
    [{ type: 'array', items: { type: 'tuple' } }, /^it\[\]: type "tuple"/],
    [{ type: 'array', items: { type: 'string' }, prefixItems: [] }, /^it: prefixItems/],
    [{ anyOf: [{ type: 'string' }, { if: {} }] }, /^it\.1: if/],
    [{ $ref: 'elsewhere.json' }, /^it: elsewhere\.json/],
    [{ enum: [{}] }, /^it: \{\}/],
  ])('%j', (schema, message) => {
    expect(() => typeOfSchema(schema, 'it')).toThrow(message)
  })

  const answer = { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } }
  const documentWith = (operation: Schema): Schema => ({
    paths: { '/v1/a': { get: { summary: 'Show', responses: { 200: answer }, ...operation } } },
    components: { schemas: { A: { type: 'object' }, Unused: { allOf: [] } } },
  })

  test('only the types that an operation uses are written', () => {
    const text = buildApiTypes(documentWith({}))
    expect(text).toContain('export type A = ')
    expect(text).toContain("'GET /v1/a'")
    expect(text).not.toContain('Unused')
  })

  test('an answer without a body becomes undefined; a stream is left to the client', () => {
    expect(buildApiTypes(documentWith({ responses: { 204: {} } }))).toContain('readonly answer: undefined')
    const stream = { 200: { content: { 'text/event-stream': {} } } }
    expect(buildApiTypes(documentWith({ responses: stream }))).not.toContain('GET /v1/a')
  })

  test.each<[Schema, RegExp]>([
    [{ responses: { 200: { content: { 'text/plain': {} } } } }, /only JSON/],
    [{ responses: { 400: answer } }, /no answer but errors/],
    [{ parameters: [{ in: 'header', name: 'If-Match', schema: {} }] }, /header If-Match/],
    [
      { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/B' } } } } } },
      /no schema B/,
    ],
  ])('an operation with %j', (operation, message) => {
    expect(() => buildApiTypes(documentWith(operation))).toThrow(message)
  })
})
