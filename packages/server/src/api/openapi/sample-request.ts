/** A valid sample request for people to copy: made from the operation's schema, with meaningful values. */
type Schema = Readonly<Record<string, unknown>>

/** By the name of the field or parameter. */
const VALUES: Readonly<Record<string, unknown>> = {
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  chainId: 31_337,
  from: '0x52908400098527886E0F7030069857D2E4169EE7',
  to: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  value: '1000000000000000',
  requestId: 'order-17',
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  deliveryId: '01890a5d-ac96-774b-bcce-b302099a8057',
  hash: `0x${'ab'.repeat(32)}`,
  lockOwner: 'what-the-reservation-gave-you',
  ttlMs: 60_000,
  reason: 'requested by the treasury team',
  label: 'treasury',
  name: 'payments',
  scopes: ['read', 'send'],
  url: 'https://hooks.example/drover',
  schedule: { type: 'interval', blocks: 10 },
  gasLimit: '100000',
}

/** Optional fields that make the example more useful. By the name of the schema. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  TransactionRequest: ['to', 'value', 'requestId'],
  SignerChange: ['label'],
  SignerRegistration: ['address'],
  WebhookChange: ['url'],
  TimerRequest: ['gasLimit', 'requestId'],
  TimerChange: ['gasLimit'],
}

export function sampleBody(schema: Schema, schemas: Schema): unknown {
  return sample(schema, schemas, null)
}

export function sampleParameter(name: string): string {
  return String(VALUES[name] ?? `{${name}}`)
}

function sample(schema: Schema, schemas: Schema, name: string | null, title: string | null = null): unknown {
  const known = name === null ? undefined : VALUES[name]
  if (known !== undefined) return known
  if (typeof schema.$ref === 'string') {
    const id = schema.$ref.split('/').at(-1) ?? ''
    return sample(asSchema(schemas[id]), schemas, name, id)
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return sample(asSchema(choices[0]), schemas, name)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  switch (schema.type) {
    case 'object':
      if (schema.properties === undefined && Array.isArray(schema.examples)) return schema.examples[0]
      return sampleObject(schema, schemas, title)
    case 'array':
      return [sample(asSchema(schema.items), schemas, null)]
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? Math.max(1, schema.minimum) : 1
    case 'boolean':
      return true
    default:
      return Array.isArray(schema.examples) ? schema.examples[0] : 'text'
  }
}

function sampleObject(schema: Schema, schemas: Schema, title: string | null): Schema {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const shown = title === null ? [] : (SHOWN[title] ?? [])
  const fields = Object.entries(asSchema(schema.properties ?? {})).filter(
    ([field]) => required.includes(field) || shown.includes(field),
  )
  return Object.fromEntries(fields.map(([field, part]) => [field, sample(asSchema(part), schemas, field)]))
}

function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null) throw new Error('a schema has a part that is none')
  return { ...value }
}
