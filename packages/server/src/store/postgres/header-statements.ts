/**
 * Recent canonical headers. They always form one linked chain: removing a block that no longer fits removes all above
 * it.
 */
import type { Header } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { Database } from './database.ts'
import { toBytes, toJson } from './json-text.ts'

interface HeaderRow {
  readonly number: number
  readonly hash: Hash
  readonly parent_hash: Hash
  readonly timestamp: number
}

const SAVE = {
  name: 'save_headers',
  text: `
with given as materialized (
  select * from json_to_recordset($2::json) as g(number bigint, hash bytea, parent_hash bytea, timestamp bigint)
   where number >= $3
), top as materialized (
  select number, hash from given order by number desc limit 1
), stored as (
  insert into chain_block (chain_id, number, hash, parent_hash, timestamp)
  select $1, number, hash, parent_hash, timestamp from given order by number
  on conflict (chain_id, number) do update
     set hash = excluded.hash, parent_hash = excluded.parent_hash, timestamp = excluded.timestamp
   where chain_block.hash <> excluded.hash
)
delete from chain_block b
 where b.chain_id = $1
   and (b.number < $3
     or (b.number > (select number from top)
         and exists (select from chain_block n
                      where n.chain_id = $1 and n.number = (select number + 1 from top)
                        and n.parent_hash <> (select hash from top))))`,
} as const

const READ = {
  name: 'read_headers',
  text: `
select number, hash, parent_hash, timestamp from chain_block
 where chain_id = $1 and number between $2 and $3 order by number`,
} as const

export async function saveHeaders(
  database: Database,
  chainId: number,
  headers: readonly Header[],
  keepFrom: number,
): Promise<void> {
  const rows = headers.map((header) => ({
    number: header.number,
    hash: toBytes(header.hash),
    parent_hash: toBytes(header.parentHash),
    timestamp: header.timestamp,
  }))
  await database.query(SAVE, [chainId, toJson(rows), keepFrom])
}

export async function readHeaders(
  database: Database,
  chainId: number,
  from: number,
  to: number,
): Promise<readonly Header[]> {
  const rows = await database.query<HeaderRow>(READ, [chainId, from, to])
  return rows.map((row) => ({
    number: row.number,
    hash: row.hash,
    parentHash: row.parent_hash,
    timestamp: row.timestamp,
  }))
}
