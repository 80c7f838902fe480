/** Validates a request against its schema, and reports what is wrong field by field. */
import type { z } from 'zod'
import { AppError } from '../core/app-error.ts'

type Issue = z.core.$ZodIssue

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const crowded = findCrowded(input, [])
  if (crowded !== null) throw refuseInput({ issues: [{ field: joinPath(crowded), message: TOO_CROWDED }], more: 0 })
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw refuseInput(listIssues(parsed.error.issues, input, schema))
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
  const left = issues.length - spelt.length + more
  const rest = left > 0 ? [`and ${left} more`] : []
  return new AppError('invalid_request', `${[...spelt, ...rest].join('; ')}.`, {
    ...(first.field !== '' && { field: first.field }),
    issues,
    ...(more > 0 && { more }),
  })
}

function listIssues(found: readonly Issue[], input: unknown, schema: z.ZodType): InputIssues {
  const issues = found
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => describeIssue(issue, input, schema))
    .slice(0, MAX_ISSUES)
  const count = found.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)
  return { issues, more: count - issues.length }
}

/** The sentence names the first ones; `issues` has them all. */
const MAX_IN_DETAIL = 3

/** Fields that other APIs accept, and the field that makes the hint true where it is known. */
const HINTS: Readonly<Record<string, { readonly known: string; readonly hint: string }>> = {
  gas: { known: 'gasLimit', hint: 'use gasLimit' },
  input: { known: 'data', hint: 'use data' },
  nonce: { known: 'gasLimit', hint: 'Drover assigns nonces' },
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

function describeIssue(issue: Issue, input: unknown, schema: z.ZodType): Problem[] {
  if (isMissing(input, issue.path)) return [{ field: joinPath(issue.path), message: describeMissing(issue) }]
  switch (issue.code) {
    case 'unrecognized_keys': {
      const shape = findShape(schema, issue.path)
      return issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => ({ field: joinPath([...issue.path, key]), message: describeUnknown(key, shape) }))
    }
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

function describeUnknown(key: string, shape: Shape): string {
  const hint = findHint(key, shape)
  return hint === null ? UNKNOWN : `${UNKNOWN} (${hint})`
}

/** Only what helps at this place: the field that it names is known there. */
function findHint(key: string, shape: Shape): string | null {
  const other = Object.hasOwn(HINTS, key) ? HINTS[key] : undefined
  if (other !== undefined) return Object.hasOwn(shape, other.known) ? other.hint : null
  const inside = Object.keys(shape).find((name) => Object.hasOwn(findShape(shape[name], []), key))
  if (inside === undefined) return null
  const known = findShape(shape[inside], [])
  const together = TOGETHER.includes(key) && TOGETHER.every((each) => Object.hasOwn(known, each)) ? TOGETHER : [key]
  return `put it in ${inside}: {"${inside}":{${together.map((each) => `"${each}":"…"`).join(',')}}}`
}

/** One of these alone is refused. */
const TOGETHER: readonly string[] = ['maxFeePerGas', 'maxPriorityFeePerGas']

type Shape = Readonly<Record<string, z.core.$ZodType>>

/** The fields that are known at this place of a request; none if it is not an object there. */
function findShape(schema: z.core.$ZodType | undefined, path: readonly PropertyKey[]): Shape {
  const { def } = (schema as z.core.$ZodTypes | undefined)?._zod ?? {}
  const [part, ...rest] = path
  switch (def?.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return findShape(def.innerType, path)
    case 'pipe':
      // What is prepared by a function is read by the schema after it.
      return findShape((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, path)
    case 'array':
      return part === undefined ? {} : findShape(def.element, rest)
    case 'object':
      return part === undefined ? def.shape : findShape(def.shape[String(part)], rest)
    default:
      return {}
  }
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
