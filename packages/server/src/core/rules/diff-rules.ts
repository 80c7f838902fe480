/** What changed between two rule sets, in one line for the audit. */
import type { RuleSet } from './rule-set.ts'

const MAX_LENGTH = 1_000

/** `value.perDay: 1 → 2, mode: report → enforce`; null before: a new set, null after: removed. */
export function diffRules(before: RuleSet | null, after: RuleSet | null): string {
  const [old, now] = [flatten(before), flatten(after)]
  const fields = [...new Set([...old.keys(), ...now.keys()])].sort()
  const changes = fields
    .filter((field) => old.get(field) !== now.get(field))
    .map((field) => `${field}: ${old.get(field) ?? 'none'} → ${now.get(field) ?? 'none'}`)
  const text = changes.length === 0 ? 'no change' : changes.join(', ')
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

function flatten(rules: RuleSet | null): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  const walk = (path: string, value: unknown): void => {
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      if (value.length > 0) fields.set(path, value.map(spell).join(' '))
    } else if (typeof value === 'object') {
      for (const [name, field] of Object.entries(value)) walk(path === '' ? name : `${path}.${name}`, field)
    } else fields.set(path, spell(value))
  }
  walk('', rules)
  return fields
}

/** By the names of the fields: PostgreSQL returns them in an order of its own, and that is no change. */
function spell(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, field]) => field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, field]) => (Array.isArray(field) ? field.join('/') : String(field)))
    .join(':')
}
