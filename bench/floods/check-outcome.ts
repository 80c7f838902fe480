/** Compares what was accepted with the database and the blocks: is each intent on chain, and none twice? */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchBase } from '../flow/stack.ts'
import { withDatabase } from '../flow/with-database.ts'

export interface Outcome {
  readonly accepted: number
  /** Accepted, but not on chain as stored. */
  readonly lost: number
  /** Transactions of our signers on chain that no stored intent stands for. */
  readonly doubled: number
}

const LOOK_EVERY_MS = 250
const DEADLINE_MS = 400_000

interface Row {
  readonly tx_id: string
  readonly state: string
  readonly nonce: string | null
  readonly hash: string | null
}

/** Waits until nothing is open. */
export async function untilNothingIsOpen({ databaseUrl }: Pick<BenchBase, 'databaseUrl'>): Promise<void> {
  await withDatabase(databaseUrl, async (client) => {
    for (const deadline = Date.now() + DEADLINE_MS; ; ) {
      const { rows } = await client.query<{ open: string }>(
        `select (select count(*) from managed_tx where nonce is not null and final_at is null)
              + (select count(*) from managed_tx where queue_position is not null) as open`,
      )
      if (Number(rows[0]?.open) === 0) return
      if (Date.now() > deadline) throw new Error(`${rows[0]?.open} transactions are still open`)
      await pause(LOOK_EVERY_MS)
    }
  })
}

export async function checkOutcome(
  { databaseUrl, chain }: Pick<BenchBase, 'databaseUrl' | 'chain'>,
  accepted: readonly string[],
): Promise<Outcome> {
  const mined = await countMined(chain)
  const stored = await withDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<Row>(
      `select t.tx_id, t.state, t.nonce, '0x' || encode(a.hash, 'hex') as hash
         from managed_tx t left join tx_attempt a on a.tx_id = t.tx_id`,
    )
    return rows
  })
  const done = new Set<string>()
  let known = 0
  for (const { tx_id, state, hash } of stored) {
    const times = mined.get(hash ?? '') ?? 0
    known += times
    if (state === 'CONFIRMED' && times === 1) done.add(tx_id)
  }
  const total = [...mined.values()].reduce((sum, times) => sum + times, 0)
  // Also what was stored without its answer being kept.
  const expected = new Set([...accepted, ...stored.map(({ tx_id }) => tx_id)])
  const lost = [...expected].filter((id) => !done.has(id)).length
  return { accepted: accepted.length, lost, doubled: known - done.size + (total - known) }
}

/** How often each hash is on chain: all transactions of this chain are ours. */
async function countMined({ call }: BenchBase['chain']): Promise<ReadonlyMap<string, number>> {
  const head = Number(await call<string>('eth_blockNumber'))
  const mined = new Map<string, number>()
  for (let number = 1; number <= head; number++) {
    const height = `0x${number.toString(16)}`
    const { transactions } = await call<{ transactions: readonly string[] }>('eth_getBlockByNumber', [height, false])
    for (const hash of transactions) mined.set(hash, (mined.get(hash) ?? 0) + 1)
  }
  return mined
}
