/** The types of `@drover/client`, out of the OpenAPI document: every operation under `/v1`, and the schemas that they use. */
import { asSchema, documentationOf, referencesOf, type Schema, typeOfSchema } from './json-schema-type.ts'

const HEAD = `/**
 * The contract of the HTTP API as types. Generated from docs/reference/openapi.json by \`npm run generate\`; not to be edited.
 */
// biome-ignore-all format: generated

/** A whole number, such as wei or gas: exact as bigint or text (decimal or 0x-hex), as a number only up to 2^53 - 1. */
export type AmountInput = bigint | string | number
`

/** What only the client's own transport says, and not its caller. */
const OWN_HEADERS = new Set(['Idempotency-Key', 'Last-Event-ID', 'Last-Event-Id'])
const WHOLE_NUMBER = /^\^\\d(?:\+|\{.*\})\$$/

export function buildApiTypes(document: Schema): string {
  const operations = listOperations(document)
  const schemas = asSchema(asSchema(document.components, 'components').schemas, 'components.schemas')
  const names = reach(
    operations.map(({ operation }) => operation),
    schemas,
  )
  const types = names.map((name) => {
    const schema = asSchema(schemas[name], name)
    return `${documentationOf(schema, '')}${declare(name, typeOfSchema(schema, name))}`
  })
  return [
    HEAD,
    ...types,
    `export interface Operations {\n${operations.filter(isCall).map(writeOperation).join('')}}\n`,
  ].join('\n')
}

interface NamedOperation {
  readonly name: string
  readonly operation: Schema
}

/** What is outside `/v1` is for those who run the service, not for those who use it. */
function listOperations(document: Schema): readonly NamedOperation[] {
  return Object.entries(asSchema(document.paths, 'paths'))
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(asSchema(methods, path)).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation: asSchema(operation, path),
      })),
    )
}

/** A stream has no answer to be typed: the client opens it by itself. */
function isCall({ operation }: NamedOperation): boolean {
  const answer = asSchema(asSchema(operation.responses, 'responses')['200'] ?? {}, '200')
  return !('text/event-stream' in asSchema(answer.content ?? {}, '200'))
}

function reach(roots: readonly Schema[], schemas: Schema): readonly string[] {
  const found = new Set<string>()
  const queue = roots.flatMap(referencesOf)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue
    if (schemas[name] === undefined) throw new Error(`there is no schema ${name}`)
    found.add(name)
    queue.push(...referencesOf(schemas[name]))
  }
  return [...found].sort()
}

function declare(name: string, type: string): string {
  return type.startsWith('{') ? `export interface ${name} ${type}\n` : `export type ${name} = ${type}\n`
}

function writeOperation({ name, operation }: NamedOperation): string {
  const body = operation.requestBody === undefined ? 'undefined' : bodyOf(operation.requestBody, name)
  return [
    `  /** ${String(operation.summary)}. */\n`,
    `  '${name}': {\n`,
    `    readonly params: ${writeParameters(operation, 'path', name)}\n`,
    `    readonly query: ${writeParameters(operation, 'query', name)}\n`,
    `    readonly body: ${body}\n`,
    `    readonly answer: ${answerOf(operation, name)}\n`,
    '  }\n',
  ].join('')
}

function writeParameters(operation: Schema, place: 'path' | 'query', name: string): string {
  const all = Array.isArray(operation.parameters) ? operation.parameters : []
  const parameters = all.map((parameter) => asSchema(parameter, name))
  const strange = parameters.find(
    ({ in: at, name: own }) => at !== 'path' && at !== 'query' && !OWN_HEADERS.has(`${own}`),
  )
  if (strange !== undefined) throw new Error(`${name}: the client does not know the ${strange.in} ${strange.name}`)
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map((parameter) => {
      const mark = parameter.required === true ? '' : '?'
      const type = typeOfParameter(asSchema(parameter.schema, name), `${name} ${parameter.name}`)
      return `${documentationOf(parameter, '      ')}      readonly ${parameter.name}${mark}: ${type}\n`
    })
  return fields.length === 0 ? 'undefined' : `{\n${fields.join('')}    }`
}

/** All of a URL is text; text that must be a whole number is a number to whoever writes the call. */
function typeOfParameter(schema: Schema, path: string): string {
  const isNumber = typeof schema.pattern === 'string' && WHOLE_NUMBER.test(schema.pattern)
  return isNumber ? 'number' : typeOfSchema(schema, path)
}

function answerOf(operation: Schema, name: string): string {
  const answers = Object.entries(asSchema(operation.responses, name)).filter(([status]) => status.startsWith('2'))
  const types = answers.map(([status, answer]) => (status === '204' ? 'undefined' : bodyOf(answer, name)))
  if (types.length === 0) throw new Error(`${name}: there is no answer but errors`)
  return [...new Set(types)].join(' | ')
}

function bodyOf(holder: unknown, name: string): string {
  const content = asSchema(asSchema(holder, name).content, name)
  const [type, ...others] = Object.keys(content)
  if (type !== 'application/json' || others.length > 0) throw new Error(`${name}: only JSON is known to the client`)
  return typeOfSchema(asSchema(asSchema(content[type], name).schema, name), name)
}
