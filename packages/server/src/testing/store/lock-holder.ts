/** Holds up statements of a store at a chosen lock, so that a test can act while they wait. */
import { Client } from 'pg'

export interface LockHolder {
  /** Takes locks by these statements, runs the body, and lets go. */
  hold(statements: readonly (readonly [sql: string, values?: readonly unknown[]])[], body: Held): Promise<void>
  /** Undoes what is held, in the middle of the body. */
  giveUp(): Promise<void>
  /** A statement of no transaction. */
  query(sql: string, values?: readonly unknown[]): Promise<void>
  /** Resolves when this many statements of other connections wait for a lock. */
  untilWaiting(count: number): Promise<void>
  close(): Promise<void>
}

/** `release` commits; what is not released when the body ends is rolled back. */
type Held = (release: () => Promise<void>) => Promise<void>

/** Two connections, since one that is in a transaction keeps seeing the same activity. */
export async function createLockHolder(databaseUrl: string): Promise<LockHolder> {
  const holder = new Client({ connectionString: databaseUrl })
  const watcher = new Client({ connectionString: databaseUrl })
  await Promise.all([holder.connect(), watcher.connect()])
  return {
    async hold(statements, body) {
      await holder.query('begin')
      try {
        for (const [sql, values = []] of statements) await holder.query(sql, [...values])
        await body(async () => {
          await holder.query('commit')
        })
      } finally {
        await holder.query('rollback')
      }
    },
    async giveUp() {
      await holder.query('rollback')
    },
    async query(sql, values = []) {
      await watcher.query(sql, [...values])
    },
    async untilWaiting(count) {
      for (;;) {
        const { rowCount } = await watcher.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (rowCount === count) return
      }
    },
    async close() {
      await Promise.all([holder.end(), watcher.end()])
    },
  }
}

export const EVENT_HEAD = ['select from event_head for update'] as const
