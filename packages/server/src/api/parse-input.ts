/** Holds a request to its schema; what does not fit is told field by field. */
import type { z } from 'zod'
import { AppError } from '../core/app-error.ts'

type Issue = z.core.$ZodIssue

export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.flatMap(describeIssue)
  const first = issues[0] ?? { field: '', message: 'is not valid' }
  const detail = first.field === '' ? `The request ${first.message}.` : `${first.field} ${first.message}.`
  throw new AppError('invalid_request', detail, { ...(first.field === '' ? {} : { field: first.field }), issues })
}

function describeIssue(issue: Issue): { field: string; message: string }[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ field: joinPath([...issue.path, key]), message: 'is not known here' }))
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

function describeType(issue: Extract<Issue, { code: 'invalid_type' }>): string {
  if (issue.input === undefined && issue.message.includes('undefined')) return `is needed (${issue.expected})`
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
