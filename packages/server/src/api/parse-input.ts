/** Holds a request to its schema; what does not fit is told field by field. */
import type { z } from 'zod'
import { AppError } from '../core/app-error.ts'

type Issue = z.core.$ZodIssue

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap((issue) => describeIssue(issue, input))
  const first = issues[0] ?? { field: '', message: 'is not valid' }
  const spelt = (issues.length === 0 ? [first] : issues.slice(0, MOST_IN_DETAIL)).map(spellProblem)
  throw new AppError('invalid_request', `${spelt.join('; ')}.`, {
    ...(first.field === '' ? {} : { field: first.field }),
    issues,
  })
}

/** The sentence names the first ones; `issues` has them all. */
const MOST_IN_DETAIL = 3

/** Fields that other APIs have in this place, or under this name. */
const HINTS: Readonly<Record<string, string>> = {
  maxFeePerGas: 'put it into fees, as {"fees":{"maxFeePerGas":"…","maxPriorityFeePerGas":"…"}}',
  maxPriorityFeePerGas: 'put it into fees, as {"fees":{"maxFeePerGas":"…","maxPriorityFeePerGas":"…"}}',
  gasPrice: 'put it into fees, as {"fees":{"gasPrice":"…"}}',
  gas: 'it is called gasLimit',
  input: 'it is called data',
  nonce: 'Drover gives out the nonces',
}

interface Problem {
  readonly field: string
  readonly message: string
}

function spellProblem({ field, message }: Problem): string {
  return field === '' ? `The request ${message}` : `${field} ${message}`
}

function describeIssue(issue: Issue, input: unknown): Problem[] {
  if (isMissing(input, issue.path)) return [{ field: joinPath(issue.path), message: describeMissing(issue) }]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ field: joinPath([...issue.path, key]), message: describeUnknown(key) }))
    case 'invalid_key':
      return [
        { field: joinPath(issue.path), message: 'has a key that is not allowed (valid text, 1 to 64 characters)' },
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
  return Object.hasOwn(HINTS, key) ? `is not known here; ${HINTS[key]}` : 'is not known here'
}

/** There is nothing in that place, and something has to be. */
function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value: unknown = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return false
    value = Object.hasOwn(value, part) ? (value as Readonly<Record<PropertyKey, unknown>>)[part] : undefined
  }
  return path.length > 0 && value === undefined
}

function describeMissing(issue: Issue): string {
  if (issue.message.startsWith('is needed')) return issue.message
  const isOwn = !issue.message.startsWith('Invalid input') && !issue.message.startsWith('Invalid option')
  if (isOwn) return `is needed, and ${issue.message}`
  return issue.code === 'invalid_type' ? `is needed (${issue.expected})` : 'is needed'
}

function describeType(issue: Extract<Issue, { code: 'invalid_type' }>): string {
  return issue.message.startsWith('Invalid input') ? `must be ${article(issue.expected)}` : issue.message
}

function describeSize(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const unit = unitOf(issue.origin)
  const isOwnMessage = !issue.message.startsWith('Too ')
  if (isOwnMessage) return issue.message
  return issue.code === 'too_small'
    ? `must be at least ${issue.minimum}${unit}`
    : `must be at most ${issue.maximum}${unit}`
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' items long' : ''
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function joinPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((joined, part) => {
    if (typeof part === 'number') return `${joined}[${part}]`
    return joined === '' ? String(part) : `${joined}.${String(part)}`
  }, '')
}
