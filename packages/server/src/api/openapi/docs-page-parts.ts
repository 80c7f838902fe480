/** The parts of the documentation page: escaped text, and the fields of a schema as a table. */
export type Json = Readonly<Record<string, unknown>>

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Text between backticks is code. */
export function renderProse(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** The document is our own, so anything missing is a bug. */
export function toJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error('the OpenAPI document is not as expected')
  return { ...value }
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function describeFields(title: string, schema: Json, schemas: Json): string {
  const { properties = {}, required } = resolve(schema, schemas)
  const needed = toList(required)
  const rows = Object.entries(toJson(properties)).map(([name, field]) => {
    const described = toJson(field)
    const mark = needed.includes(name) ? ' (needed)' : ''
    return `<tr><td><code>${escapeHtml(name)}</code>${mark}</td><td>${escapeHtml(nameType(described))}</td><td>${renderProse(String(described.description ?? ''))}</td></tr>`
  })
  return `<h4>${title}</h4><table>${rows.join('')}</table>`
}

function resolve(schema: Json, schemas: Json): Json {
  if (typeof schema.$ref !== 'string') return schema
  return resolve(toJson(schemas[schema.$ref.split('/').at(-1) ?? '']), schemas)
}

function nameType(schema: Json): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? ''
  const choices = toList(schema.anyOf ?? schema.oneOf)
  if (choices.length > 0) return [...new Set(choices.map((choice) => nameType(toJson(choice))))].join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.type === 'array') return `list of ${nameType(toJson(schema.items))}`
  return String(schema.type ?? 'any')
}
