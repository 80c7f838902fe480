/** What is archived, page by page, in the order of the marks. Nothing that is read here changes any more. */
import type { Transaction, TxId } from '../../../core/transaction/transaction.ts'
import type { AuditEntry } from '../../../ports/access-store.ts'
import type { HistoryEntry } from '../../../ports/history.ts'
import { type AuditRow, readAudit } from '../access/access-rows.ts'
import { createDatabase, type Database, type DatabaseOptions } from '../database.ts'
import { readCompletions, readHistories, readLaneEvents } from '../transactions/event-reads.ts'
import { findTransactions } from '../transactions/transaction-reads.ts'

export interface ArchivedTransaction {
  /** The entry that made it final. */
  readonly completion: HistoryEntry
  readonly transaction: Transaction
  readonly tenant: string
  readonly history: readonly HistoryEntry[]
}

export interface ArchiveReads {
  /** Final transactions after this event. `reached`: the last one looked at; null: there are none. */
  readTransactions(
    after: number,
    limit: number,
  ): Promise<{ readonly items: readonly ArchivedTransaction[]; readonly reached: number | null }>
  /** Events that belong to no transaction. */
  readEvents(after: number, limit: number): Promise<readonly HistoryEntry[]>
  readAudit(after: number, limit: number): Promise<readonly AuditEntry[]>
  close(): Promise<void>
}

const TENANTS = {
  name: 'read_tenants',
  text: 'select tx_id, tenant from managed_tx where tx_id = any($1::uuid[])',
} as const

const AUDIT = {
  name: 'read_audit',
  text: `
select audit_id, at, key_id, actor, node_id, operation, target, result, hash from audit_entry
 where audit_id > $1 order by audit_id limit $2`,
} as const

const CONNECTIONS = 3

export function createArchiveReads(options: DatabaseOptions): ArchiveReads {
  const database = createDatabase({ poolSize: CONNECTIONS, ...options })
  return {
    readTransactions: (after, limit) => readTransactions(database, after, limit),
    readEvents: (after, limit) => readLaneEvents(database, after, limit),
    readAudit: async (after, limit) => (await database.query<AuditRow>(AUDIT, [after, limit])).map(readAudit),
    close: () => database.close(),
  }
}

async function readTransactions(
  database: Database,
  after: number,
  limit: number,
): ReturnType<ArchiveReads['readTransactions']> {
  const completions = await readCompletions(database, after, limit)
  const ids = completions.flatMap(({ txId }) => txId ?? [])
  if (ids.length === 0) return { items: [], reached: null }
  const [transactions, tenants, histories] = await Promise.all([
    findTransactions(database, ids),
    database.query<{ tx_id: TxId; tenant: string }>(TENANTS, [ids]),
    readHistories(database, ids),
  ])
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]))
  const tenantOf = new Map(tenants.map((row) => [row.tx_id, row.tenant]))
  const items = completions.flatMap((completion) => {
    const transaction = byId.get(completion.txId ?? '')
    // Retention has deleted it since.
    if (transaction === undefined) return []
    const history = histories.filter(({ txId }) => txId === transaction.id)
    return [{ completion, transaction, tenant: tenantOf.get(transaction.id) ?? '', history }]
  })
  return { items, reached: completions.at(-1)?.eventId ?? null }
}
