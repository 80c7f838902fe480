/**
 * A JSON Schema as TypeScript. It knows the constructs that our own document uses and refuses any other by its path: a
 * type that silently says less than the contract would be worse than none.
 */

export type Schema = Readonly<Record<string, unknown>>

/** These narrow values, not types, or only tell people something. */
const WITHOUT_EFFECT = new Set([
  ...['description', 'title', 'examples', 'default', 'format', 'pattern'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
])

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

const REFERENCE = /^#\/components\/schemas\/(\w+)$/

export function typeOfSchema(schema: Schema, path: string): string {
  if ('$ref' in schema) return nameOfReference(schema, path)
  if ('anyOf' in schema || 'oneOf' in schema) return unionOf(schema, path)
  if ('const' in schema) return refuseOthers(schema, path, ['type', 'const'], literal(schema.const, path))
  if ('enum' in schema) return refuseOthers(schema, path, ['type', 'enum'], enumerate(schema, path))
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOfSchema({ ...schema, type }, path)))
  if (schema.type === 'array') return arrayOf(schema, path)
  if (schema.type === 'object') return objectOf(schema, path)
  if (schema.type === undefined) return refuseOthers(schema, path, [], 'unknown')
  return refuseOthers(schema, path, ['type'], primitiveOf(schema, path))
}

/** Names of all that a schema refers to, itself or in its parts. */
export function referencesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => {
    const name = key === '$ref' ? REFERENCE.exec(String(part))?.[1] : undefined
    return name === undefined ? referencesOf(part) : [name]
  })
}

export function documentationOf(schema: Schema, indent: string): string {
  if (typeof schema.description !== 'string') return ''
  return `${indent}/** ${schema.description.replaceAll('*/', '*\\/')} */\n`
}

function nameOfReference(schema: Schema, path: string): string {
  const name = REFERENCE.exec(String(schema.$ref))?.[1]
  if (name === undefined) throw new Error(`${path}: ${String(schema.$ref)} is not a schema of this document`)
  return refuseOthers(schema, path, ['$ref'], name)
}

/** What may be written as text or as a number is an amount, which the client also takes as a bigint. */
function unionOf(schema: Schema, path: string): string {
  const key = 'anyOf' in schema ? 'anyOf' : 'oneOf'
  const parts = readList(schema, key, path).map((part, index) => typeOfSchema(asSchema(part, path), `${path}.${index}`))
  refuseOthers(schema, path, [key], '')
  const isAmount = parts.length === 2 && parts.includes('string') && parts.includes('number')
  return isAmount ? 'AmountInput' : union(parts)
}

function arrayOf(schema: Schema, path: string): string {
  const item = typeOfSchema(asSchema(schema.items, path), `${path}[]`)
  return refuseOthers(schema, path, ['type', 'items'], `readonly ${item.includes(' ') ? `(${item})` : item}[]`)
}

function objectOf(schema: Schema, path: string): string {
  const known = ['type', 'properties', 'required', 'additionalProperties', 'propertyNames']
  refuseOthers(schema, path, known, '')
  const properties = Object.entries(asSchema(schema.properties ?? {}, path))
  if (properties.length === 0) return recordOf(schema, path)
  const required = 'required' in schema ? readList(schema, 'required', path) : []
  const fields = properties.map(([name, value]) => {
    const part = asSchema(value, path)
    const mark = required.includes(name) ? '' : '?'
    const type = typeOfSchema(part, `${path}.${name}`).replaceAll('\n', '\n  ')
    return `${documentationOf(part, '  ')}  readonly ${name}${mark}: ${type}\n`
  })
  return `{\n${fields.join('')}${isOpen(schema) ? '  readonly [other: string]: unknown\n' : ''}}`
}

/** Only said of what may really hold anything; an answer that may gain fields later is not described as a bag. */
function isOpen(schema: Schema): boolean {
  return typeof schema.additionalProperties === 'object'
}

function recordOf(schema: Schema, path: string): string {
  const keys = asSchema(schema.propertyNames ?? { type: 'string' }, path)
  if (typeOfSchema(keys, `${path}.propertyNames`) !== 'string') throw new Error(`${path}: keys that are not strings`)
  if (schema.additionalProperties === false) return 'Readonly<Record<string, never>>'
  const values = typeOfSchema(asSchema(schema.additionalProperties ?? {}, path), `${path}.*`)
  return `Readonly<Record<string, ${values}>>`
}

function primitiveOf(schema: Schema, path: string): string {
  const type = PRIMITIVES[String(schema.type)]
  if (type === undefined) throw new Error(`${path}: type ${JSON.stringify(schema.type)} is not known to the generator`)
  const isHex = type === 'string' && typeof schema.pattern === 'string' && schema.pattern.startsWith('^0x')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the type that is written out
  return isHex ? '`0x${string}`' : type
}

function enumerate(schema: Schema, path: string): string {
  return union(readList(schema, 'enum', path).map((value) => literal(value, path)))
}

function literal(value: unknown, path: string): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`${path}: ${JSON.stringify(value)} cannot be written as a type`)
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(' | ')
}

function refuseOthers(schema: Schema, path: string, known: readonly string[], type: string): string {
  const others = Object.keys(schema).filter((key) => !known.includes(key) && !WITHOUT_EFFECT.has(key))
  if (others.length > 0) throw new Error(`${path}: ${others.join(', ')} is not known to the generator of types`)
  return type
}

function readList(schema: Schema, key: string, path: string): readonly unknown[] {
  const list = schema[key]
  if (!Array.isArray(list)) throw new Error(`${path}: ${key} must be a list`)
  return list
}

export function asSchema(value: unknown, path: string): Schema {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Schema
  throw new Error(`${path}: ${JSON.stringify(value)} is not a schema`)
}
