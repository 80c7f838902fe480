/**
 * The order of acceptance under concurrent inserts.
 *
 * An insert takes its places in line under a lock of the lane that is held until commit: a reader of a lane's queue
 * sees everything accepted before the last entry it sees, so nonces follow acceptance, whichever node accepted it. The
 * locks are advisory and few, each for many lanes, and are taken in one order before anything else.
 *
 * Places are unique over all lanes, but two lanes may commit in another order than they took theirs. A list from oldest
 * to newest would skip late commits, so it first waits for the inserts in progress.
 */
import type { Lane } from '../../../core/lane/lane.ts'
import type { Database } from '../database.ts'

/** Any constant will do as long as nothing else in the database uses it, or the 63 after it. */
const LOCK_BASE = 7_061_644_215_716_937_728n
const LOCKS = 64

/** The same on every node. */
export function lockOf({ chainId, signer }: Lane): string {
  const spread = Number.parseInt(signer.slice(-4), 16) + chainId
  return (LOCK_BASE + BigInt(spread % LOCKS)).toString()
}

/** The last place is read before the first lock is requested. */
const SETTLE = {
  name: 'settle_acceptance',
  text: `
with newest as materialized (
  select last_value as seq from managed_tx_accepted_seq
), passed as materialized (
  select pg_advisory_xact_lock_shared(${LOCK_BASE} + offset_of)
    from newest cross join generate_series(0, ${LOCKS - 1}) offset_of
)
select seq, (select count(*) from passed) as passed from newest`,
} as const

/**
 * The place up to which nothing more can be inserted. Waits for inserts in progress, up to the time of one statement.
 */
export async function settleAcceptance(database: Database): Promise<number> {
  const [row] = await database.query<{ readonly seq: number }>(SETTLE, [])
  if (row === undefined) throw new Error('the order of acceptance has no end')
  return row.seq
}
