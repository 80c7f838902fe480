/** Validates a request against its schema, and reports what is wrong field by field. */
import type { z } from 'zod'
import { AppError } from '../core/app-error.ts'

type Issue = z.core.$ZodIssue

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const crowded = findCrowded(input, [])
  if (crowded !== null) throw refuseInput({ issues: [{ field: joinPath(crowded), message: TOO_CROWDED }], more: 0 })
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw refuseInput(listIssues(parsed.error.issues, input))
}

/**
 * More than any schema here accepts. Beyond it the schema does not run at all: it would make an object for each
 * problem.
 */
const MAX_ENTRIES = 10_000
const TOO_CROWDED = `must have at most ${MAX_ENTRIES} entries`
const DEEPEST = 8

/** Where the first list or object with too many entries is. */
function findCrowded(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | null {
  if (typeof value !== 'object' || value === null || path.length > DEEPEST) return null
  let count = 0
  for (const key in value) {
    count += 1
    if (count > MAX_ENTRIES) return path
    const inner: unknown = (value as Readonly<Record<string, unknown>>)[key]
    const found =
      typeof inner === 'object' && inner !== null
        ? findCrowded(inner, [...path, Array.isArray(value) ? Number(key) : key])
        : null
    if (found !== null) return found
  }
  return null
}

/** A caller fixes a few at a time. Naming thousands would only make the response unbounded. */
const MAX_ISSUES = 20
const MAX_KEY_LENGTH = 100

interface InputIssues {
  readonly issues: readonly Problem[]
  /** How many more there are. */
  readonly more: number
}

function refuseInput({ issues, more }: InputIssues): AppError {
  const first = issues[0] ?? { field: '', message: 'is not valid' }
  const spelt = (issues.length === 0 ? [first] : issues.slice(0, MAX_IN_DETAIL)).map(spellProblem)
  return new AppError('invalid_request', `${spelt.join('; ')}.`, {
    ...(first.field !== '' && { field: first.field }),
    issues,
    ...(more > 0 && { more }),
  })
}

function listIssues(found: readonly Issue[], input: unknown): InputIssues {
  const issues = found
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => describeIssue(issue, input))
    .slice(0, MAX_ISSUES)
  const count = found.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  return { issues, more: count - issues.length }
}

/** The sentence names the first ones; `issues` has them all. */
const MAX_IN_DETAIL = 3

/** Fields that other APIs accept here, or under this name. */
const HINTS: Readonly<Record<string, string>> = {
  maxFeePerGas: 'put it in fees: {"fees":{"maxFeePerGas":"…","maxPriorityFeePerGas":"…"}}',
  maxPriorityFeePerGas: 'put it in fees: {"fees":{"maxFeePerGas":"…","maxPriorityFeePerGas":"…"}}',
  gasPrice: 'put it in fees: {"fees":{"gasPrice":"…"}}',
  gas: 'use gasLimit',
  input: 'use data',
  nonce: 'Drover assigns nonces',
}

const UNKNOWN = 'is an unknown field'

interface Problem {
  readonly field: string
  readonly message: string
}

function spellProblem({ field, message }: Problem): string {
  if (message.startsWith(UNKNOWN)) return `unknown field: ${field}${message.slice(UNKNOWN.length)}`
  return field === '' ? `The request ${message}` : `${field} ${message}`
}

function describeIssue(issue: Issue, input: unknown): Problem[] {
  if (isMissing(input, issue.path)) return [{ field: joinPath(issue.path), message: describeMissing(issue) }]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => ({ field: joinPath([...issue.path, key]), message: describeUnknown(key) }))
    case 'invalid_key':
      return [
        {
          field: joinPath(issue.path),
          message: 'has a key that is not allowed: keys are valid text of 1 to 64 characters',
        },
      ]
    case 'invalid_type':
      return [{ field: joinPath(issue.path), message: describeType(issue) }]
    case 'too_small':
    case 'too_big':
      return [{ field: joinPath(issue.path), message: describeSize(issue) }]
    case 'invalid_value':
      return [{ field: joinPath(issue.path), message: `must be one of ${issue.values.map(String).join(', ')}` }]
    default:
      return [{ field: joinPath(issue.path), message: issue.message }]
  }
}

function describeUnknown(key: string): string {
  return Object.hasOwn(HINTS, key) ? `${UNKNOWN} (${HINTS[key]})` : UNKNOWN
}

/** A required value is missing there. */
function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value: unknown = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return false
    value = Object.hasOwn(value, part) ? (value as Readonly<Record<PropertyKey, unknown>>)[part] : undefined
  }
  return path.length > 0 && value === undefined
}

function describeMissing(issue: Issue): string {
  if (issue.message.startsWith('is required')) return issue.message
  const isOwn = !issue.message.startsWith('Invalid input') && !issue.message.startsWith('Invalid option')
  if (isOwn) return `is required and ${issue.message}`
  return issue.code === 'invalid_type' ? `is required (${issue.expected})` : 'is required'
}

function describeType(issue: Extract<Issue, { code: 'invalid_type' }>): string {
  return issue.message.startsWith('Invalid input') ? `must be ${article(issue.expected)}` : issue.message
}

function describeSize(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const isOwnMessage = !issue.message.startsWith('Too ')
  if (isOwnMessage) return issue.message
  const limit = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  const isOne = (issue.code === 'too_small' ? issue.minimum : issue.maximum) === 1
  if (issue.origin === 'string') return `must have ${limit} ${isOne ? 'character' : 'characters'}`
  if (issue.origin === 'array') return `must have ${limit} ${isOne ? 'item' : 'items'}`
  return `must be ${limit}`
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function joinPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((joined, part) => {
    if (typeof part === 'number') return `${joined}[${part}]`
    const name = shorten(String(part))
    return joined === '' ? name : `${joined}.${name}`
  }, '')
}

/** The caller chooses the names, and they can be of any length. */
function shorten(name: string): string {
  return name.length > MAX_KEY_LENGTH ? `${name.slice(0, MAX_KEY_LENGTH)}…` : name
}
