/** What a node needs to continue a chain's timers: the snapshot, and the kernel's input since. Read in pages. */
import type { Hash, Hex } from '../../../core/hex.ts'
import type { LoggedCommand } from '../../../core/timer/timer-command.ts'
import type {
  LoadedTimers,
  NewFire,
  StoredQueue,
  TimerBlock,
  TimerLease,
  TimerSnapshot,
  TimerTip,
  TimerWriteResult,
} from '../../../ports/timer-store.ts'
import type { Database } from '../database.ts'
import { toJson } from '../json-text.ts'
import { HELD } from './timer-lease-statements.ts'
import { FIRE_COLUMNS, type FireRow, readCommand, readFire, type StoredTimerCommand } from './timer-rows.ts'

const PAGE = 10_000
const CHUNK_PAGE = 64
/** Of a snapshot, in one statement. */
const MAX_WRITE_BYTES = 2 * 1024 * 1024

const TIP = {
  name: 'read_timer_tip',
  text: `
select height, block_hash, state_root, command_seq, snapshot_height, snapshot_block, snapshot_params
  from timer_chain where chain_id = $1`,
} as const

const QUEUE = {
  name: 'read_timer_queue',
  text: `
select height, block_hash, state_root, queue,
       exists (select from mailbox_entry where chain_id = $1 and state = 'OBSERVED') as has_observed
  from timer_chain where chain_id = $1`,
} as const

const CHUNKS = {
  name: 'read_timer_chunks',
  text: `
select encode(bytes, 'base64') as bytes from timer_snapshot_chunk
 where chain_id = $1 and height = $2 and n >= $3 order by n limit ${CHUNK_PAGE}`,
} as const

const BLOCKS = {
  name: 'read_timer_blocks',
  text: `
select height, block_hash, state_root, parent_state_root,
       (select coalesce(json_agg('0x' || encode(k, 'hex')), '[]') from unnest(keys) k) as keys
  from timer_block where chain_id = $1 and height > $2 order by height limit ${PAGE}`,
} as const

const COMMANDS = {
  name: 'read_timer_log',
  text: `
select command_id, seq, height, body from timer_command where chain_id = $1 and seq > $2 order by seq limit ${PAGE}`,
} as const

const OBSERVED = {
  name: 'read_observed_fires',
  text: `
select ${FIRE_COLUMNS} from mailbox_entry e
 where e.chain_id = $1 and e.state = 'OBSERVED' order by e.height, e.position`,
} as const

interface TipRow {
  readonly height: number
  readonly block_hash: Hash
  readonly state_root: Hash
  readonly command_seq: number
  readonly snapshot_height: number | null
  readonly snapshot_block: (TimerBlock & { readonly seq: number }) | null
  readonly snapshot_params: unknown
}

interface BlockRow {
  readonly height: number
  readonly block_hash: Hash
  readonly state_root: Hash
  readonly parent_state_root: Hash
  readonly keys: readonly Hex[]
}

export async function readTip(database: Database, chainId: number): Promise<TimerTip | null> {
  const [row] = await database.query<TipRow>(TIP, [chainId])
  return row === undefined ? null : toTip(row)
}

export async function readQueue(database: Database, chainId: number): Promise<StoredQueue | null> {
  const [row] = await database.query<TipRow & { readonly queue: unknown; readonly has_observed: boolean }>(QUEUE, [
    chainId,
  ])
  return row === undefined ? null : { tip: toTip(row), queue: row.queue, hasObserved: row.has_observed }
}

export async function loadTimers(database: Database, chainId: number): Promise<LoadedTimers> {
  const [row] = await database.query<TipRow>(TIP, [chainId])
  if (row === undefined) return { tip: null, lastSeq: 0, snapshot: null, blocks: [], commands: [], observed: [] }
  const snapshot = await readSnapshot(database, chainId, row)
  const from = row.snapshot_block
  const observed = await database.query<FireRow>(OBSERVED, [chainId])
  return {
    tip: toTip(row),
    lastSeq: row.command_seq,
    snapshot,
    blocks: await readBlocks(database, chainId, from?.height ?? -1),
    commands: await readLog(database, chainId, from?.seq ?? 0),
    observed: observed.map((fire) => readFire(fire) as NewFire),
  }
}

async function readSnapshot(database: Database, chainId: number, row: TipRow): Promise<TimerSnapshot | null> {
  if (row.snapshot_block === null) return null
  const { seq, ...block } = row.snapshot_block
  const chunks: Uint8Array[] = []
  for (;;) {
    const page = await database.query<{ readonly bytes: string }>(CHUNKS, [chainId, row.snapshot_height, chunks.length])
    for (const { bytes } of page) chunks.push(Buffer.from(bytes, 'base64'))
    if (page.length < CHUNK_PAGE) return { block, seq, chunks, params: row.snapshot_params }
  }
}

async function readBlocks(database: Database, chainId: number, above: number): Promise<readonly TimerBlock[]> {
  const blocks: TimerBlock[] = []
  for (;;) {
    const page = await database.query<BlockRow>(BLOCKS, [chainId, blocks.at(-1)?.height ?? above])
    for (const row of page) {
      blocks.push({
        height: row.height,
        hash: row.block_hash,
        stateRoot: row.state_root,
        parentStateRoot: row.parent_state_root,
        keys: row.keys,
      })
    }
    if (page.length < PAGE) return blocks
  }
}

async function readLog(database: Database, chainId: number, after: number): Promise<readonly LoggedCommand[]> {
  const log: LoggedCommand[] = []
  for (;;) {
    const page = await database.query<{
      readonly command_id: string
      readonly seq: number
      readonly height: number
      readonly body: StoredTimerCommand
    }>(COMMANDS, [chainId, log.at(-1)?.seq ?? after])
    for (const { command_id: id, seq, height, body } of page) log.push({ id, seq, height, command: readCommand(body) })
    if (page.length < PAGE) return log
  }
}

function toTip(row: TipRow): TimerTip {
  return { height: row.height, hash: row.block_hash, stateRoot: row.state_root }
}

const ADD_CHUNKS = {
  name: 'add_timer_chunks',
  text: `
with ${HELD}
insert into timer_snapshot_chunk (chain_id, height, n, bytes)
select $1, $4, c.n, decode(c.bytes, 'base64') from json_to_recordset($5::json) as c(n int, bytes text)
 where exists (select from held)
on conflict (chain_id, height, n) do update set bytes = excluded.bytes
returning n`,
} as const

/** Input covered by the snapshot need not be replayed. Rows that people may still query stay for a while. */
const SWITCH = {
  name: 'switch_timer_snapshot',
  text: `
with ${HELD}, moved as (
  update timer_chain set snapshot_height = $4, snapshot_block = $5::jsonb, snapshot_params = $6::jsonb
   where chain_id = $1 and exists (select from held)
  returning 1
), chunks as (
  delete from timer_snapshot_chunk where chain_id = $1 and (height <> $4 or n >= $7) and exists (select from moved)
), blocks as (
  delete from timer_block where chain_id = $1 and height <= $4 and exists (select from moved)
), commands as (
  delete from timer_command
   where command_id in (select command_id from timer_command
                         where chain_id = $1 and answer is not null
                           and answered_at < clock_timestamp() - interval '1 day'
                           and (seq is null or seq <= $8) limit 10000)
     and exists (select from moved)
), skipped as (
  delete from mailbox_entry
   where deliver_id in (select deliver_id from mailbox_entry
                         where chain_id = $1 and state = 'SKIPPED' and height < $9 limit 10000)
     and exists (select from moved)
)
select exists (select from held) as held, exists (select from moved) as moved`,
} as const

/** Fires that became no transaction are kept for this many blocks. */
const SKIPPED_KEPT = 10_000

export async function saveSnapshot(
  database: Database,
  { chainId, nodeId, fence }: TimerLease,
  { block, seq, chunks, params }: TimerSnapshot,
): Promise<TimerWriteResult> {
  const own = [chainId, nodeId, fence, block.height]
  for (let from = 0; from < chunks.length; ) {
    const group: { n: number; bytes: string }[] = []
    for (let size = 0; from < chunks.length && (group.length === 0 || size < MAX_WRITE_BYTES); from++) {
      const chunk = chunks[from] as Uint8Array
      size += chunk.length
      group.push({ n: from, bytes: Buffer.from(chunk).toString('base64') })
    }
    const written = await database.query(ADD_CHUNKS, [...own, toJson(group)])
    if (written.length < group.length) return { type: 'fenced' }
  }
  const [row] = await database.query<{ readonly held: boolean; readonly moved: boolean }>(SWITCH, [
    ...own,
    toJson({ ...block, seq }),
    toJson(params),
    chunks.length,
    seq,
    block.height - SKIPPED_KEPT,
  ])
  if (row?.held !== true) return { type: 'fenced' }
  return { type: row.moved ? 'written' : 'stale' }
}
