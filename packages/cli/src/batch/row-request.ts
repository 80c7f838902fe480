/**
 * A row as the request that it stands for. Rows use the names of the HTTP API; in place of its nested objects they may
 * have `function` and `args`, the three prices and `metadata.<name>` of their own, and amounts may have units.
 */
import type { TransactionRequest } from '@drover/client'
import { parseAmount } from '@drover/server/core'
import { findNearestName } from '@drover/server/settings'

/** What rows that say nothing themselves get; `function` is for rows that have arguments, or neither call nor data. */
export type RowDefaults = Partial<Omit<TransactionRequest, 'call' | 'data'>> & { readonly function?: string }

export interface RowProblem {
  /** Empty: the row as a whole. */
  readonly field: string
  readonly message: string
}

export type RowRequest =
  | { readonly type: 'request'; readonly body: TransactionRequest }
  | { readonly type: 'invalid'; readonly problems: readonly RowProblem[] }

/** The contract of the service: what would be refused there is refused here, in the same words. */
export type CheckRequest = (body: unknown) => readonly RowProblem[]

const TEXTS = ['from', 'to', 'data', 'speed', 'validUntil', 'requestId'] as const
const AMOUNTS = ['value', 'gasLimit'] as const
const PRICES = ['maxFeePerGas', 'maxPriorityFeePerGas', 'gasPrice'] as const
const JSONS = ['args', 'metadata', 'call', 'fees', 'simulate', 'priority', 'chainId', 'notBefore'] as const
const SHAPES: Readonly<Record<string, string>> = {
  args: 'must be a JSON list, such as ["0x7099…","1000"]',
  simulate: 'must be true or false',
  priority: 'must be a whole number',
  chainId: 'must be a whole number',
  notBefore: 'must be JSON, such as {"height":1200} or {"time":"2030-01-01T00:00:00Z"}',
}
const METADATA = 'metadata.'
const KNOWN: readonly string[] = [...TEXTS, ...AMOUNTS, ...PRICES, ...JSONS, 'finality', 'function']

export function toRowRequest(
  fields: Readonly<Record<string, unknown>>,
  { function: signature, ...defaults }: RowDefaults,
  check: CheckRequest,
): RowRequest {
  const problems: RowProblem[] = []
  const given = new Map<string, unknown>()
  const metadata: [string, unknown][] = []
  for (const [name, value] of Object.entries(fields)) {
    const unknown = findUnknown(name)
    if (unknown !== null) problems.push({ field: name, message: unknown })
    else if (name.startsWith(METADATA)) metadata.push([name.slice(METADATA.length), value])
    else readField(name, value, given, problems)
  }
  if (metadata.length > 0)
    given.set('metadata', { ...asObject(given.get('metadata')), ...Object.fromEntries(metadata) })
  if (signature !== undefined && !['function', 'call', 'data'].some((name) => given.has(name))) {
    given.set('function', signature)
  }
  nest(given, problems)
  const body = { ...defaults, ...Object.fromEntries(given) }
  if (problems.length === 0) problems.push(...check(body))
  // The check has found nothing, so the body has what the type says.
  return problems.length > 0 ? { type: 'invalid', problems } : { type: 'request', body: body as TransactionRequest }
}

function readField(name: string, value: unknown, given: Map<string, unknown>, problems: RowProblem[]): void {
  const isText = typeof value === 'string'
  if (isText && [...AMOUNTS, ...PRICES].some((one) => one === name)) {
    const amount = parseAmount(value)
    if (typeof amount === 'bigint') given.set(name, amount.toString())
    else problems.push({ field: name, message: amount.problem })
  } else if (isText && JSONS.some((one) => one === name)) {
    const parsed = parseJson(value)
    if (parsed === undefined) problems.push({ field: name, message: SHAPES[name] ?? 'must be JSON' })
    else given.set(name, parsed)
  } else if (isText && name === 'finality' && /^\d+$/.test(value)) given.set(name, Number(value))
  else given.set(name, value)
}

/** The flat names of a row to the objects of the API. */
function nest(given: Map<string, unknown>, problems: RowProblem[]): void {
  const signature = given.get('function')
  if (signature !== undefined) {
    if (given.has('call')) problems.push({ field: 'function', message: 'cannot be combined with call' })
    given.set('call', { function: signature, args: given.get('args') ?? [] })
  } else if (given.has('args')) problems.push({ field: 'args', message: 'needs function' })
  const prices = PRICES.filter((name) => given.has(name))
  if (prices.length > 0) {
    if (given.has('fees')) problems.push({ field: prices[0] ?? '', message: 'cannot be combined with fees' })
    given.set('fees', Object.fromEntries(prices.map((name) => [name, given.get(name)])))
  }
  for (const name of ['function', 'args', ...PRICES]) given.delete(name)
}

/** What is wrong with the name of a field; null where it is one. */
export function findUnknown(name: string): string | null {
  if (name.startsWith(METADATA) || KNOWN.includes(name)) return null
  const nearest = findNearestName(name, KNOWN)
  return nearest === null
    ? `is an unknown field; use one of ${KNOWN.join(', ')}`
    : `is an unknown field; did you mean ${nearest}?`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
