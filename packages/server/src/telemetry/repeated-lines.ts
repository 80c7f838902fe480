/**
 * One line a minute per cause: a warning or an error that says the same again is counted instead, and the next line that
 * is let through says how many there were. Lines without an error in them say the same only if all their fields do.
 */
export interface RepeatedLines {
  /** Null: said already. Else how many equal lines were left out since the last one. */
  admit(message: string, fields: Readonly<Record<string, unknown>>): number | null
}

const MINUTE_MS = 60_000
const MAX_KEYS = 1_000
/** Says which, where the error alone would not. */
const WHERE = ['chainId', 'chain_id', 'host', 'txId', 'operation', 'route'] as const

export function createRepeatedLines(nowMs: () => number): RepeatedLines {
  const said = new Map<string, { until: number; leftOut: number }>()

  return {
    admit: (message, fields) => {
      const key = `${message}|${describeCause(fields)}`
      const now = nowMs()
      const entry = said.get(key)
      if (entry !== undefined && now < entry.until) {
        entry.leftOut++
        return null
      }
      said.delete(key)
      said.set(key, { until: now + MINUTE_MS, leftOut: 0 })
      const [oldest] = said.keys()
      if (said.size > MAX_KEYS && oldest !== undefined) said.delete(oldest)
      return entry?.leftOut ?? 0
    },
  }
}

function describeCause(fields: Readonly<Record<string, unknown>>): string {
  const cause = fields.error ?? fields.cause ?? fields.reason
  if (cause === undefined) return JSON.stringify(fields, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  const where = WHERE.map((name) => String(fields[name] ?? '')).join('|')
  // Ports, times and hashes differ from one to the next.
  const text = cause instanceof Error ? cause.message : String(cause)
  return `${where}|${text.replaceAll(/0x[0-9a-f]+|\d+/gi, '#').slice(0, 300)}`
}
