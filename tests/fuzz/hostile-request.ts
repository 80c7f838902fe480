/**
 * Makes requests that no route can take, out of what the API says of itself. Whatever changes something gets a body with
 * a field that is not known, one of a wrong kind or one that is no JSON; or it names somebody who is not there. So nothing
 * of what is sent may leave a trace, and every answer has to say what is wrong.
 */
import { sampleBody, sampleParameter } from '../../packages/server/src/api/openapi/sample-request.ts'
import type { Chance } from './chance.ts'
import { HOSTILE_JSON, HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile-values.ts'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

type Json = Readonly<Record<string, unknown>>

export interface Target {
  readonly method: string
  readonly path: string
  readonly queryNames: readonly string[]
  /** Null where it takes none. */
  readonly bodySchema: Json | null
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK']
const MEDIA_TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'json',
  '*/*',
  '',
  'application/x-www-form-urlencoded',
]
const MEBIBYTE = 1024 * 1024

export function listTargets(document: Json): readonly Target[] {
  return Object.entries(toJson(document.paths)).flatMap(([path, methods]) =>
    Object.entries(toJson(methods)).map(([method, described]) => {
      const { parameters, requestBody } = toJson(described)
      const names = Array.isArray(parameters) ? parameters.filter((parameter) => parameter.in === 'query') : []
      return {
        method: method.toUpperCase(),
        path,
        queryNames: names.map(({ name }) => String(name)),
        bodySchema: requestBody === undefined ? null : bodySchemaOf(toJson(requestBody)),
      }
    }),
  )
}

function bodySchemaOf({ content }: Json): Json {
  return toJson(toJson(toJson(content)['application/json']).schema)
}

export function makeHostileRequest(chance: Chance, targets: readonly Target[], schemas: Json): HostileRequest {
  const target = chance.pick(targets)
  const method = chance.percent(8) ? chance.pick(METHODS) : target.method
  // Elsewhere than where it belongs, a body that fits nothing is still what it should be.
  const isMutating = method !== 'GET'
  const isUnknown = target.path.includes('{') && chance.percent(25)
  const path = isUnknown ? namePathOfNobody(target.path, chance) : fillPath(target, chance)
  const query = isMutating && isUnknown ? '' : makeQuery(target, chance)
  const body = isMutating ? makeBody(target, schemas, chance, isUnknown && target.method === method) : null
  return { method, path: path + query, headers: makeHeaders(chance, body !== null), body }
}

/** Well-formed ids of nothing. */
function namePathOfNobody(path: string, chance: Chance): string {
  const uuid = `${chance.hex(8)}-${chance.hex(4)}-7${chance.hex(3)}-8${chance.hex(3)}-${chance.hex(12)}`
  const isSigner = path.includes('{address}')
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'chainId') return String(1 + chance.below(9_999))
    return isSigner ? `0x${chance.hex(40)}` : path.includes('api-keys') ? chance.hex(16) : uuid
  })
}

/** Never something that is there: what changes something is sent to these as well. */
function fillPath({ path }: Target, chance: Chance): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    chance.percent(30) ? sampleParameter(name) : toUrlPart(chance.pick(HOSTILE_TEXTS)),
  )
  if (chance.percent(5)) return `${filled}/`
  return chance.percent(3) ? `${filled}/${toUrlPart(chance.pick(HOSTILE_TEXTS))}` : filled
}

function makeQuery({ queryNames }: Target, chance: Chance): string {
  if (chance.percent(40)) return ''
  const parts = Array.from({ length: 1 + chance.below(4) }, () => {
    const name =
      queryNames.length > 0 && chance.percent(80) ? chance.pick(queryNames) : toUrlPart(chance.pick(HOSTILE_TEXTS))
    return `${name}=${toUrlPart(chance.pick(HOSTILE_TEXTS))}`
  })
  return `?${parts.join('&')}`
}

/** Halves of surrogate pairs cannot be written there; they go as the mark that stands for them. */
function toUrlPart(text: string): string {
  return encodeURIComponent(Buffer.from(text.slice(0, 3_000)).toString()).replaceAll('%C3', '%c0%af')
}

function makeBody(target: Target, schemas: Json, chance: Chance, isWhole: boolean): Buffer | null {
  if (chance.percent(3)) return null
  if (target.bodySchema === null) return Buffer.from(chance.pick(HOSTILE_JSON))
  const sample = sampleBody(target.bodySchema, schemas)
  if (isWhole) return Buffer.from(JSON.stringify(corruptTexts(sample, chance)))
  const text = JSON.stringify(spoil(sample, chance))
  switch (chance.below(12)) {
    case 0:
      return Buffer.from(chance.pick(HOSTILE_JSON))
    case 1:
      return Buffer.from(JSON.stringify(chance.pick(HOSTILE_VALUES)))
    case 2:
      return Buffer.from(text.slice(0, 1 + chance.below(text.length - 1)))
    case 3:
      return Buffer.from(`${text}${chance.pick(['x', '}', ',', '\0', '{}', '"'])}`)
    case 4:
      return Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('}')])
    case 5:
      return chance.percent(4) ? Buffer.alloc(Math.ceil(1.2 * MEBIBYTE), 0x20) : Buffer.from(text)
    default:
      return Buffer.from(text)
  }
}

/** Fields replaced by hostile ones, and always one that is not known; in lists, in each item too. */
function spoil(sample: unknown, chance: Chance): unknown {
  if (Array.isArray(sample)) return sample.map((item) => spoil(item, chance))
  if (typeof sample !== 'object' || sample === null) return hostile(chance)
  const fields = Object.entries(sample).map(([name, value]): [string, unknown] => {
    if (Array.isArray(value)) return [name, spoil(value, chance)]
    return [name, chance.percent(45) ? hostile(chance) : value]
  })
  return Object.fromEntries([
    ...fields,
    [chance.pick(['fuzz', 'x'.repeat(300), '\0', 'ｆrom', 'nonce_']), hostile(chance)],
  ])
}

/** For those who are not there: as they should be, with any text for what is free to be any. */
function corruptTexts(sample: unknown, chance: Chance): unknown {
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample)) return sample
  const free = new Set(['reason', 'label', 'lockOwner'])
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, free.has(name) ? chance.pick(HOSTILE_TEXTS) : value]),
  )
}

function hostile(chance: Chance): unknown {
  return chance.percent(60) ? chance.pick(HOSTILE_TEXTS) : chance.pick(HOSTILE_VALUES)
}

function makeHeaders(chance: Chance, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = {}
  if (hasBody) headers['content-type'] = chance.percent(92) ? 'application/json' : chance.pick(MEDIA_TYPES)
  if (chance.percent(10)) headers['idempotency-key'] = printable(chance.pick(HOSTILE_TEXTS))
  if (chance.percent(5)) headers['last-event-id'] = printable(chance.pick(HOSTILE_TEXTS))
  if (chance.percent(5)) headers.authorization = `Bearer ${printable(chance.pick(HOSTILE_TEXTS))}`
  if (chance.percent(5)) headers.accept = printable(chance.pick(HOSTILE_TEXTS))
  if (chance.percent(3)) headers['x-large'] = 'x'.repeat(chance.pick([1_000, 15_000, 40_000]))
  if (chance.percent(3)) headers.host = chance.pick(['evil.example', '', 'localhost.evil.example', '127.0.0.1@evil'])
  return headers
}

/** What a client library lets through; the rest goes over bare sockets. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 4_000)
}

function toJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error('not an object')
  return { ...value }
}
