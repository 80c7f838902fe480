/**
 * Fenced writes: one round trip for the whole batch. If the database refuses the batch for what one lane contains, the
 * batch is halved until that lane is isolated, so the others are written as if it were not there.
 */
import { laneKey } from '../../../core/lane/lane.ts'
import type { AmendResult, LaneWrite, LaneWriteResult, NonceMark, TxSave } from '../../../ports/lane-write.ts'
import type { Database } from '../database.ts'
import { describeRefusal, isRefusal } from '../database-error.ts'
import { amendNotice } from '../notice-payload.ts'
import { type Change, toStatementValues } from './lane-write-rows.ts'
import { WRITE_LANES } from './write-lanes-statement.ts'

interface VerdictRow {
  readonly is_held: boolean
  readonly is_moved: boolean
  readonly passes: boolean
  /** Transactions updated by the whole statement. */
  readonly saved: number
}

export async function writeLanes(
  database: Database,
  writes: readonly LaneWrite[],
  timeline: number | null,
): Promise<readonly LaneWriteResult[]> {
  assertOneWritePerLane(writes)
  return await writeChanges(database, writes.map(toChange), timeline)
}

export async function amend(database: Database, save: TxSave, nonces: readonly NonceMark[]): Promise<AmendResult> {
  const { lane } = save.tx.intent
  const notice = amendNotice(lane, save.tx.id)
  const change: Change = { ...NOTHING_ELSE, lane, by: null, cursor: null, saves: [save], nonces, notice }
  const [result] = await writeChanges(database, [change], null)
  switch (result?.type) {
    case 'written':
      return { type: 'written', version: save.before.version + 1 }
    case 'stale':
      return { type: 'stale' }
    default:
      throw new Error(`an amendment of ${save.tx.id} was ${result?.type}: ${result && describe(result)}`)
  }
}

const NOTHING_ELSE = { notes: [], reservations: [], reset: null, balance: null } as const

async function writeChanges(
  database: Database,
  changes: readonly Change[],
  timeline: number | null,
): Promise<readonly LaneWriteResult[]> {
  if (changes.length === 0) return []
  try {
    const rows = await database.query<VerdictRow>(WRITE_LANES, toStatementValues(changes, timeline))
    return readVerdicts(changes, rows)
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (changes.length === 1) return [{ type: 'refused', detail: describeRefusal(error) }]
    const half = Math.ceil(changes.length / 2)
    const first = await writeChanges(database, changes.slice(0, half), timeline)
    const second = await writeChanges(database, changes.slice(half), timeline)
    return [...first, ...second]
  }
}

function readVerdicts(changes: readonly Change[], rows: readonly VerdictRow[]): readonly LaneWriteResult[] {
  let expected = 0
  const results = changes.map((change, index): LaneWriteResult => {
    const row = rows[index]
    if (row === undefined) throw new Error('the writing statement answered fewer lanes than it was given')
    if (!row.is_held) return { type: 'fenced' }
    if (!row.passes) {
      return {
        type: 'stale',
        detail: row.is_moved
          ? 'a transaction or reservation changed or is final, a reset is answered, or the lane is paused'
          : 'the cursor has moved',
      }
    }
    expected += change.saves.length
    return { type: 'written', versions: change.saves.map((save) => save.before.version + 1) }
  })
  const saved = rows[0]?.saved ?? 0
  if (saved !== expected) throw new Error(`the writing statement saved ${saved} of ${expected} transactions`)
  return results
}

function toChange({ lease, ...write }: LaneWrite): Change {
  const { saves, reservations } = write
  const key = laneKey(lease.lane)
  const ids = new Set<string>()
  for (const { tx } of saves) {
    if (laneKey(tx.intent.lane) !== key) throw new Error(`transaction ${tx.id} is not of lane ${key}`)
    if (ids.has(tx.id)) throw new Error(`transaction ${tx.id} is saved twice in one write`)
    ids.add(tx.id)
  }
  for (const { reservation } of reservations) {
    if (laneKey(reservation.lane) !== key) throw new Error(`reservation ${reservation.id} is not of lane ${key}`)
  }
  return { ...write, lane: lease.lane, by: lease, notice: null }
}

function assertOneWritePerLane(writes: readonly LaneWrite[]): void {
  const lanes = new Set<string>()
  for (const { lease } of writes) {
    const key = laneKey(lease.lane)
    if (lanes.has(key)) throw new Error(`lane ${key} has two writes in one call`)
    lanes.add(key)
  }
}

function describe(result: LaneWriteResult): string {
  return 'detail' in result ? result.detail : result.type
}
