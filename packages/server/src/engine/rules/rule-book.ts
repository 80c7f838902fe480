/**
 * Which signers and API keys have rules, from memory. Only a hint that saves round trips: whether rules bind a
 * transaction is decided by the database when it is stored, and when it is read from the queue.
 */
import type { RuleSet, SubjectId } from '../../core/rules/rule-set.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface RuleBook {
  /** Whether any of them has rules, as far as this node knows. True until it has looked. */
  binds(subjects: readonly SubjectId[]): boolean
  /** Whether any of them limits fees. */
  countsGas(subjects: readonly SubjectId[]): boolean
  subjects(): readonly SubjectId[]
  /** Knows every change made before this call. */
  reload(): Promise<void>
  /** Knows every change up to a few seconds ago, even if notices get lost. */
  freshen(): Promise<void>
  close(): void
}

interface BookPorts {
  readonly store: Pick<Store, 'listAccounts' | 'listen'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Pick<Telemetry, 'log'>
}

/** Notices say when rules change; this is for those that get lost. */
const MAX_AGE_MS = 30_000
/** Of what is signed without asking the database. */
const FRESH_MS = 3_000

export function createRuleBook({ store, clock, telemetry }: BookPorts): RuleBook {
  let known: ReadonlyMap<SubjectId, RuleSet> | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false
  let isAgain = false

  let begun = 0
  let applied = 0

  /** When the read began whose answer is known. */
  let knownSince = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    const turn = ++begun
    const startedAt = clock.monotonic()
    const accounts = await store.listAccounts()
    // A read that began later has seen more.
    if (turn < applied) return
    applied = turn
    knownSince = startedAt
    known = new Map(accounts.map(({ subject, rules }) => [subject, rules]))
  }

  function refresh(): void {
    isAgain = isReading
    if (isReading) return
    isReading = true
    readAt = clock.monotonic()
    read()
      .catch((error: unknown) => {
        telemetry.log('warn', 'could not read the spending rules; the database still applies them', {
          error: String(error),
        })
      })
      .finally(() => {
        isReading = false
        // Something may have changed after this read began.
        if (isAgain) refresh()
      })
  }

  function current(): ReadonlyMap<SubjectId, RuleSet> | null {
    if (clock.monotonic() - readAt > MAX_AGE_MS) refresh()
    return known
  }

  const unlisten = store.listen((notice) => {
    if (notice.type === 'rules.changed' || notice.type === 'gap') refresh()
  })
  refresh()

  return {
    binds: (subjects) => {
      const book = current()
      return book === null || (book.size > 0 && subjects.some((subject) => book.has(subject)))
    },
    countsGas: (subjects) => {
      const book = current()
      return book !== null && book.size > 0 && subjects.some((subject) => (book.get(subject)?.gas ?? null) !== null)
    },
    subjects: () => [...(current()?.keys() ?? [])],
    reload: read,
    freshen: async () => {
      if (clock.monotonic() - knownSince > FRESH_MS) await read()
    },
    close: unlisten,
  }
}
