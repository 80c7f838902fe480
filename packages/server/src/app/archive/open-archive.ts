/** The archive of what is finished: lines of JSON for `drover archive`, and marks of how far it has come. */
import { presentAttempt } from '../../api/present/present-attempt.ts'
import { presentAudit } from '../../api/present/present-audit.ts'
import { presentEvent } from '../../api/present/present-event.ts'
import { presentTransaction } from '../../api/present/present-transaction.ts'
import { type ArchiveKind, type ArchiveMarks, openArchiveMarks } from '../../store/postgres/archive/archive-marks.ts'
import {
  type ArchivedTransaction,
  type ArchiveReads,
  createArchiveReads,
} from '../../store/postgres/archive/archive-reads.ts'

export type { ArchiveKind }

interface ArchiveLine {
  /** Its number: lines of a kind come with growing ones. */
  readonly number: number
  /** When it ended or happened, in milliseconds. */
  readonly at: number
  readonly json: string
}

export interface ArchivePage {
  readonly lines: readonly ArchiveLine[]
  /** Where the next page begins; null: nothing is left. */
  readonly reached: number | null
}

export interface Archive {
  /** The number of the last line that was archived; 0: none was. */
  findMark(kind: ArchiveKind): Promise<number>
  /** The next lines after a number. */
  read(kind: ArchiveKind, after: number, limit: number): Promise<ArchivePage>
  /** From now on these may be deleted. Throws if the mark is not where this archive left it. */
  moveMark(kind: ArchiveKind, from: number, to: number): Promise<void>
  close(): Promise<void>
}

/** Null: another archive is running. */
export async function openArchive(databaseUrl: string): Promise<Archive | null> {
  const marks = await openArchiveMarks(databaseUrl)
  if (marks === null) return null
  const telemetry = { log() {}, count() {}, gauge() {} }
  const reads = createArchiveReads({ databaseUrl, telemetry, applicationName: 'drover archive' })
  return {
    findMark: async (kind) => (await marks.read()).find((mark) => mark.kind === kind)?.upTo ?? 0,
    read: (kind, after, limit) => READERS[kind](reads, after, limit),
    moveMark: (kind, from, to) => moveMark(marks, kind, from, to),
    close: async () => void (await Promise.all([marks.close(), reads.close()])),
  }
}

async function moveMark(marks: ArchiveMarks, kind: ArchiveKind, from: number, to: number): Promise<void> {
  if (await marks.move(kind, from, to)) return
  throw new Error(`the archive of ${kind} was moved by something else; nothing of this run counts as archived`)
}

type Reader = (reads: ArchiveReads, after: number, limit: number) => Promise<ArchivePage>

const READERS: Readonly<Record<ArchiveKind, Reader>> = {
  transactions: async (reads, after, limit) => {
    const { items, reached } = await reads.readTransactions(after, limit)
    return { lines: items.map(toLine), reached }
  },
  events: async (reads, after, limit) => {
    const entries = await reads.readEvents(after, limit)
    return toPage(entries.map((entry) => [entry.eventId, entry.at, { kind: 'event', event: presentEvent(entry) }]))
  },
  audit: async (reads, after, limit) => {
    const entries = await reads.readAudit(after, limit)
    return toPage(entries.map((entry) => [entry.id, entry.at, { kind: 'audit', entry: presentAudit(entry) }]))
  },
}

function toPage(rows: readonly (readonly [number: number, at: number, shown: unknown])[]): ArchivePage {
  const lines = rows.map(([number, at, shown]) => ({ number, at, json: JSON.stringify(shown) }))
  return { lines, reached: lines.at(-1)?.number ?? null }
}

/** As the API shows it, without what depends on the settings of a node. */
function toLine({ completion, transaction, tenant, history }: ArchivedTransaction): ArchiveLine {
  const finality = transaction.intent.finality ?? { type: 'confirmations', count: 0 }
  const shown = presentTransaction(transaction, { viewOf: () => null, finalityOf: () => finality })
  const { required: _, ...confirmations } = shown.confirmations
  const json = JSON.stringify({
    kind: 'transaction',
    tenant,
    keyId: transaction.keyId ?? null,
    transaction: { ...shown, confirmations },
    attempts: transaction.attempts.map(presentAttempt),
    history: history.map(presentEvent),
  })
  return { number: completion.eventId, at: completion.at, json }
}
