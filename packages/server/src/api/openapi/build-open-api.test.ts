import { existsSync, readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { STATUS_OF } from '../contract/values/problem.ts'
import { ROUTES } from '../routes.ts'
import { buildOpenApi } from './build-open-api.ts'

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

const document = JSON.parse(JSON.stringify(buildOpenApi(ROUTES))) as {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
}

function collectRefs(part: unknown): string[] {
  if (part === null || typeof part !== 'object') return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : collectRefs(value),
  )
}

test('the checked-in reference is what the code describes', () => {
  const file = new URL('../../../../../docs/reference/openapi.json', import.meta.url)
  expect(existsSync(file), 'docs/reference/openapi.json is missing').toBe(true)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(document)
})

test('the document is a valid one of OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document))
  expect([result.valid, result.errors ?? [], validator.version]).toEqual([true, [], '3.1'])
  const broken = await new Validator().validate({ ...structuredClone(document), paths: [] })
  expect(broken.valid).toBe(false)
})

test('every reference leads to a schema, and every schema is used', () => {
  const names = Object.keys(document.components.schemas)
  const refs = new Set(collectRefs(document))
  expect(refs.size).toBeGreaterThan(0)
  for (const ref of refs) expect(names).toContain(ref.replace('#/components/schemas/', ''))
  for (const name of names) expect([...refs]).toContain(`#/components/schemas/${name}`)
})

test('the document has every operation, and no other', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
  expect(new Set(ROUTES.map(({ operationId }) => operationId)).size).toBe(ROUTES.length)
})

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s is described in full',
  (_, route) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()]
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const parameters = operation?.parameters ?? []
    expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath)
    expect(parameters.every((parameter) => parameter.required === (parameter.in === 'path'))).toBe(true)
    expect(operation?.requestBody !== undefined).toBe(!(route.body instanceof z.ZodUndefined))
    for (const code of route.errors) expect(operation?.responses[STATUS_OF[code]]).toBeDefined()
    for (const { status } of route.answers) expect(operation?.responses[status]).toBeDefined()
  },
)

test('a request may not have unknown fields; an answer may gain some', () => {
  expect(document.components.schemas.TransactionRequest?.additionalProperties).toBe(false)
  expect(document.components.schemas.Transaction?.additionalProperties).toBeUndefined()
  expect(document.components.schemas.TransactionRequest?.required).toEqual(['from'])
})
