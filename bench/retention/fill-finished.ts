/** Fills a database with finished transactions: copies of a real one, with attempts, history and nonces, under new ids. */
import type { Client } from 'pg'

const CHUNK = 50_000

/** Of the copies, in days: older than any retention that the bench sets. */
const AGE = `interval '100 days'`
const ID = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
const HASH = `decode(md5(n::text) || md5('h' || n), 'hex')`

/** The columns that differ from copy to copy, by their number `n`. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  managed_tx: {
    tx_id: ID,
    request_id: `'filled-' || n`,
    // Below everything real: see `raiseNumbers`.
    accepted_seq: 'n',
    nonce: 'n',
    created_at: `o.created_at - ${AGE} + n * interval '1 millisecond'`,
    final_at: `o.final_at - ${AGE} + n * interval '1 millisecond'`,
  },
  tx_attempt: { tx_id: ID, hash: HASH, nonce: 'n' },
  tx_event: { tx_id: ID, event_id: `n * 16 + o.tx_seq`, at: `o.at - ${AGE}`, last_at: `o.last_at - ${AGE}` },
  nonce_allocation: { tx_id: ID, previous_tx_id: ID, nonce: 'n' },
}
const FILLED_TABLES = Object.keys(CHANGES)

/** Numbers of the copies stay below this. */
export const MAX_COPIES = 20_000_000

/** To be done before the first real transaction: leaves room for the copies before it. */
export async function raiseNumbers(client: Client): Promise<void> {
  // As on a server of its own. The first works from the next start on.
  await client.query(`alter system set shared_buffers = '2GB'`)
  await client.query(`alter system set max_wal_size = '4GB'`)
  await client.query('select pg_reload_conf()')
  await client.query(`select setval('managed_tx_accepted_seq', $1)`, [MAX_COPIES])
  await client.query('update event_head set last_id = $1', [MAX_COPIES * 16])
}

/** Adds copies of a finished transaction until there are this many. Returns how many there were. */
export async function fillFinished(client: Client, original: string, rows: number): Promise<number> {
  const found = await client.query<{ n: string | null }>(
    'select max(accepted_seq) as n from managed_tx where accepted_seq < $1',
    [MAX_COPIES],
  )
  const before = Number(found.rows[0]?.n ?? 0)
  await client.query('set synchronous_commit = off')
  for (let from = before + 1; from <= rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK - 1)
    await client.query('begin')
    for (const table of FILLED_TABLES) await copy(client, table, original, from, to)
    await client.query('commit')
    process.stderr.write(`\r${to} of ${rows} filled`)
  }
  process.stderr.write('\n')
  if (before < rows) for (const table of FILLED_TABLES) await client.query(`vacuum analyze ${table}`)
  return before
}

async function copy(client: Client, table: string, original: string, from: number, to: number): Promise<void> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table],
  )
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => CHANGES[table]?.[name] ?? `o.${name}`)
  await client.query(
    `insert into ${table} (${names.join()}) select ${values.join()}
       from generate_series($2::bigint, $3::bigint) n cross join ${table} o where o.tx_id = $1`,
    [original, from, to],
  )
}

/** Bytes per transaction of each table, as `rows and TOAST + indexes`. */
export async function readSizes(client: Client, rows: number): Promise<Readonly<Record<string, string>>> {
  const sizes: Record<string, string> = {}
  let sum = 0
  for (const table of FILLED_TABLES) {
    const { rows: found } = await client.query<{ rows: string; indexes: string }>(
      'select pg_table_size($1::regclass) as rows, pg_indexes_size($1::regclass) as indexes',
      [table],
    )
    const [inRows, inIndexes] = [Number(found[0]?.rows) / rows, Number(found[0]?.indexes) / rows]
    sum += inRows + inIndexes
    sizes[`bytes per transaction, ${table}`] = `${inRows.toFixed(0)} + ${inIndexes.toFixed(0)} in indexes`
  }
  return { ...sizes, 'bytes per transaction': sum.toFixed(0) }
}
