/** The outcome of every row: as a file for programs, and as a summary by cause for people. */
import { writeFile } from 'node:fs/promises'
import type { Board, BoardCounts, RowStatus } from './board.ts'

const COLUMNS = ['row', 'line', 'requestId', 'id', 'hash', 'state', 'error'] as const

/** Rows of which nothing is known are not in it: they were not sent. */
export async function writeResults(path: string, rows: readonly RowStatus[]): Promise<void> {
  const isCsv = path.toLowerCase().endsWith('.csv')
  const lines = rows.map((status) => {
    const record = toRecord(status)
    return isCsv ? COLUMNS.map((name) => spellCell(record[name])).join(',') : JSON.stringify(record)
  })
  await writeFile(path, [...(isCsv ? [COLUMNS.join(',')] : []), ...lines, ''].join('\n'))
}

function toRecord({ row, line, requestId, id, hash, state, error }: RowStatus) {
  const told = state ?? (id === null ? 'REFUSED' : 'ACCEPTED')
  return {
    row,
    line,
    requestId,
    id,
    hash,
    state: told,
    error: error === null ? null : `${error.code}: ${error.message}`,
  }
}

function spellCell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  // Spreadsheets run text that starts like a formula, and error texts come from others.
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export interface Cause {
  readonly code: string
  readonly message: string
  readonly count: number
  /** The first few. */
  readonly lines: readonly number[]
}

const MAX_LINES = 10

/** Those that failed, or are stuck, most frequent first. */
export function listCauses(board: Board): readonly Cause[] {
  const causes = new Map<string, { code: string; message: string; count: number; lines: number[] }>()
  for (const status of board.all()) {
    if (!board.hasFailed(status) && status.state !== 'STUCK') continue
    const code = status.state ?? status.error?.code ?? 'unknown'
    const message =
      status.error === null ? '' : (status.state === null ? '' : `${status.error.code}: `) + status.error.message
    const key = `${code} ${message}`
    const cause = causes.get(key) ?? { code, message, count: 0, lines: [] }
    cause.count++
    if (cause.lines.length < MAX_LINES) cause.lines.push(status.line)
    causes.set(key, cause)
  }
  return [...causes.values()].sort((a, b) => b.count - a.count)
}

export function presentCauses(causes: readonly Cause[]): readonly string[] {
  return causes.map(({ code, message, count, lines }) => {
    const more = count > lines.length ? ', …' : ''
    return `  ${count} × ${code}${message === '' ? '' : `: ${message}`} (line ${lines.join(', ')}${more})`
  })
}

export function presentCounts({ total, accepted, mined, confirmed, failed, stuck }: BoardCounts): string {
  const parts = [
    `${accepted} accepted`,
    `${mined} mined`,
    `${confirmed} confirmed`,
    `${failed} failed`,
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
  ]
  return `${total} rows: ${parts.join(', ')}.`
}
