/**
 * What earlier runs did with a batch, in a file next to it. Lines are only appended. A line that a kill cut short is
 * skipped. Nothing depends on it: without it every row is offered to the service again, which knows
 * the rows by their request ids. With it a resumed run is quick, and a row that was changed after it had been sent is
 * found before anything else is sent.
 */
import { open, readFile } from 'node:fs/promises'

export interface JournalHead {
  readonly batchId: string
}

export interface JournalRow {
  readonly row: number
  readonly digest: string
  readonly id: string
  /** Once it is final. */
  readonly state: string | null
  readonly hash: string | null
  readonly error: string | null
}

export interface Journal {
  /** Null: a new one. */
  readonly head: JournalHead | null
  readonly rows: ReadonlyMap<number, JournalRow>
}

const KIND = 'drover batch journal'

class NotAJournal extends Error {
  constructor(path: string) {
    super(`${path} is not a journal of drover batch. Use another --journal file`)
    this.name = 'NotAJournal'
  }
}

export async function readJournal(path: string): Promise<Journal> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { head: null, rows: new Map() }
    throw error
  }
  const lines = text.split('\n').map(parseLine)
  const first = lines.find((line) => line !== null)
  if (first === undefined || first === null) {
    if (text.trim() === '') return { head: null, rows: new Map() }
    throw new NotAJournal(path)
  }
  const { kind, batchId } = first
  if (kind !== KIND || typeof batchId !== 'string') throw new NotAJournal(path)
  const rows = new Map<number, JournalRow>()
  for (const line of lines) {
    const row = line === null ? null : toRow(line)
    if (row !== null) rows.set(row.row, row)
  }
  return { head: { batchId }, rows }
}

function parseLine(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch (error) {
    // Torn by a kill, or the empty end: what it said is asked of the service again.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function toRow({ row, digest, id, state, hash, error }: Readonly<Record<string, unknown>>): JournalRow | null {
  if (typeof row !== 'number' || typeof digest !== 'string' || typeof id !== 'string') return null
  return { row, digest, id, state: textOrNull(state), hash: textOrNull(hash), error: textOrNull(error) }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export interface JournalWriter {
  add(rows: readonly JournalRow[]): Promise<void>
  close(): Promise<void>
}

export async function openJournal(path: string, head: JournalHead, isNew: boolean): Promise<JournalWriter> {
  const file = await open(path, 'a', 0o600)
  // Behind a torn line a new one begins.
  await file.appendFile(isNew ? `${JSON.stringify({ kind: KIND, version: 1, ...head })}\n` : '\n')
  return {
    async add(rows) {
      if (rows.length > 0) await file.appendFile(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    },
    close: () => file.close(),
  }
}
