/** Cron lines of five fields, or nicknames like `@daily`, in UTC: read into sets of allowed values, and the next minute that all of them allow. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** With both day fields restricted, either may match, as cron has always done. */
  readonly eitherDay: boolean
}

export type CronOutcome =
  | { readonly type: 'cron'; readonly schedule: CronSchedule }
  | { readonly type: 'invalid'; readonly field: string; readonly message: string }

interface FieldRule {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly words?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const RULES: readonly FieldRule[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: MONTHS },
  { name: 'day of week', min: 0, max: 7, words: DAYS },
]
/** What cron calls the most common lines. */
const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Past a leap day and a century without one; a line with no match by then has none. */
const HORIZON_MS = 9 * 366 * DAY_MS

export function parseCron(line: string): CronOutcome {
  const text = line.trim()
  const known = NICKNAMES.get(text.toLowerCase())
  if (text.startsWith('@') && known === undefined)
    return { type: 'invalid', field: 'line', message: `"${text}" is none of ${[...NICKNAMES.keys()].join(', ')}` }
  const parts = (known ?? text).split(/\s+/)
  if (parts.length !== RULES.length) return { type: 'invalid', field: 'line', message: 'must have five fields' }
  const sets: Set<number>[] = []
  for (const [index, rule] of RULES.entries()) {
    const set = parseField(parts[index] ?? '', rule)
    if (typeof set === 'string') return { type: 'invalid', field: rule.name, message: set }
    sets.push(set)
  }
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (daysOfWeek.delete(7)) daysOfWeek.add(0)
  const eitherDay = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*')
  return { type: 'cron', schedule: { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay } }
}

/** The first matching minute after a moment, or null if the line never matches. */
export function findNextTime(schedule: CronSchedule, afterMs: number): number | null {
  let at = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  const end = at + HORIZON_MS
  while (at < end) {
    const date = new Date(at)
    if (!schedule.months.has(date.getUTCMonth() + 1)) at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
    else if (!matchesDay(schedule, date)) at = Math.floor(at / DAY_MS) * DAY_MS + DAY_MS
    else if (!schedule.hours.has(date.getUTCHours())) at = Math.floor(at / HOUR_MS) * HOUR_MS + HOUR_MS
    else if (!schedule.minutes.has(date.getUTCMinutes())) at += MINUTE_MS
    else return at
  }
  return null
}

function matchesDay({ daysOfMonth, daysOfWeek, eitherDay }: CronSchedule, date: Date): boolean {
  const ofMonth = daysOfMonth.has(date.getUTCDate())
  const ofWeek = daysOfWeek.has(date.getUTCDay())
  return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek
}

/** The allowed values, or what is wrong with the field. */
function parseField(text: string, rule: FieldRule): Set<number> | string {
  const allowed = new Set<number>()
  for (const item of text.split(',')) {
    const match = /^(\*|[a-z0-9]+(?:-[a-z0-9]+)?)(?:\/(\d+))?$/i.exec(item)
    if (match === null) return `cannot read "${item}"`
    const [from, to] = match[1] === '*' ? [rule.min, rule.max] : readRange(match[1] ?? '', rule, match[2] !== undefined)
    const step = match[2] === undefined ? 1 : Number(match[2])
    if (from === null || to === null) return `"${item}" is outside ${rule.min}-${rule.max}`
    if (from > to) return `"${item}" ends before it begins`
    if (step < 1) return `"${item}" has a step of 0`
    for (let value = from; value <= to; value += step) allowed.add(value)
  }
  return allowed
}

function readRange(text: string, rule: FieldRule, stepped: boolean): [number | null, number | null] {
  const [first = '', last] = text.split('-')
  const from = readValue(first, rule)
  if (last !== undefined) return [from, readValue(last, rule)]
  return [from, stepped ? rule.max : from]
}

function readValue(text: string, { min, max, words }: FieldRule): number | null {
  const word = words?.indexOf(text.toLowerCase()) ?? -1
  if (word >= 0) return word + (min === 1 ? 1 : 0)
  if (!/^\d{1,2}$/.test(text)) return null
  const value = Number(text)
  return value < min || value > max ? null : value
}
