/**
 * The timeline of the server: PostgreSQL starts another one whenever a standby is promoted. A cursor that last moved on an
 * older one may lack nonces that were given out just before, if the standby had not received them.
 */
import { DatabaseError } from 'pg'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { Database } from '../database.ts'

export interface Timeline {
  /** Asks the server; null if it has none, as some services that only speak PostgreSQL's language. */
  read(): Promise<number | null>
  /** As last read. */
  known(): number | null
}

/** Names of log files begin with the timeline, which the log itself has from the first moment after a promotion. */
const READ = {
  name: 'read_timeline',
  text: `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint as timeline`,
} as const

export function createTimeline(database: Database, telemetry: Pick<Telemetry, 'log'>): Timeline {
  let known: number | null = null
  let isMissing = false

  return {
    async read() {
      if (isMissing) return null
      try {
        const [row] = await database.query<{ timeline: number }>(READ, [])
        known = row?.timeline ?? null
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error
        isMissing = true
        const message = 'the database does not tell its timeline: writes lost in a failover will not be noticed'
        telemetry.log('warn', message, { error: error.message })
      }
      return known
    },
    known: () => known,
  }
}
