/** Spending rules as text that can be edited, and what an edit changes. */
import type { RuleSet } from './rule-words.ts'

/** Without what limits nothing: an omitted field means the same. */
export function spellRules(rules: RuleSet | null): string {
  return JSON.stringify(rules ?? {}, (_, value: unknown) => (isEmpty(value) ? undefined : value), 2)
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

export type ReadRules =
  | { readonly type: 'rules'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly type: 'unreadable'; readonly why: string }

export function readRules(text: string): ReadRules {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { type: 'rules', value: value as Readonly<Record<string, unknown>> }
    }
    return { type: 'unreadable', why: 'must be a JSON object' }
  } catch (error) {
    return { type: 'unreadable', why: error instanceof Error ? error.message : 'is not JSON' }
  }
}

export interface RuleChange {
  readonly field: string
  /** Null: it was not, or will not be, limited. */
  readonly from: string | null
  readonly to: string | null
}

export function diffRules(before: RuleSet | null, after: Readonly<Record<string, unknown>>): readonly RuleChange[] {
  const [old, now] = [flatten(JSON.parse(spellRules(before))), flatten(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => ({ field, from: old.get(field) ?? null, to: now.get(field) ?? null }))
}

/** Lists as a whole: what was inserted in one would else change every entry after it. */
function flatten(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (isEmpty(value) || value === undefined) return new Map()
  if (typeof value !== 'object' || Array.isArray(value)) {
    return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]])
  }
  return new Map(
    Object.entries(value ?? {}).flatMap(([name, field]) => [...flatten(field, path === '' ? name : `${path}.${name}`)]),
  )
}
