/** Turns a JSON log line into one for people: time, level, message, then the fields. */
const STANDARD = new Set(['time', 'level', 'message'])

export function formatLogLine(line: string): string {
  const entry = parseObject(line)
  if (entry === null) return line
  const time = String(entry.time ?? '').slice(11, 23)
  const fields = Object.entries(entry).filter(([key]) => !STANDARD.has(key))
  const stacks = fields.flatMap(([, value]) => findStack(value))
  const shown = fields.map(([key, value]) => `${key}=${formatValue(value)}`)
  const first = [time, String(entry.level ?? '').padEnd(5), String(entry.message ?? ''), ...shown].join(' ')
  return `${[first, ...stacks].join('\n')}\n`
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : null
  } catch (error) {
    // A line that is not JSON is shown as it is rather than lost.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function findStack(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && 'stack' in value ? [String(value.stack)] : []
}

function formatValue(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value)
    return JSON.stringify(value.message)
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value
  return JSON.stringify(value)
}
