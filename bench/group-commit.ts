/** What group commit gains: accepting transactions one by one, and in batches of 10, 100 and 500. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../packages/dev/src/postgres/embedded-postgres.ts'
import { createSystemRandom } from '../packages/server/src/app/system-random.ts'
import { STABLE } from '../packages/server/src/core/lane/policy.ts'
import type { NewTransaction, Store } from '../packages/server/src/ports/store.ts'
import { migrate } from '../packages/server/src/store/postgres/migrate.ts'
import { createPostgresStore } from '../packages/server/src/store/postgres/postgres-store.ts'
import { anyIntent } from '../packages/server/src/testing/store/samples.ts'
import { createSilentTelemetry } from '../packages/server/src/testing/telemetry/recording-telemetry.ts'

const ROWS = 2_000
const BATCHES = [1, 10, 100, 500]
const lane = { chainId: 1, signer: `0x${'11'.repeat(20)}` } as const
const random = createSystemRandom()

export async function benchGroupCommit(): Promise<void> {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'drover-bench-')), 'postgres')
  const postgres = await startEmbeddedPostgres({ dataDir, fast: true })
  await migrate(postgres.databaseUrl)
  const store = createPostgresStore({ databaseUrl: postgres.databaseUrl, telemetry: createSilentTelemetry() })
  try {
    await store.registerSigners([{ lane, policy: STABLE, label: null }])
    await insert(store, 500, 500)
    const perRow: number[] = []
    for (const size of BATCHES) perRow.push(await insert(store, ROWS, size))
    const [baseline = 0] = perRow
    console.table(
      BATCHES.map((size, index) => ({
        batch: size,
        'µs per transaction': ((perRow[index] ?? 0) * 1_000).toFixed(0),
        'times faster than one by one': (baseline / (perRow[index] ?? 1)).toFixed(1),
      })),
    )
  } finally {
    await store.close()
    await postgres.stop()
    await removeEmbeddedPostgres(dataDir)
  }
}

/** Milliseconds per row. */
async function insert(store: Store, rows: number, size: number): Promise<number> {
  const batches = Array.from({ length: rows / size }, () => Array.from({ length: size }, createTransaction))
  const from = performance.now()
  for (const batch of batches) await store.insertTransactions(batch)
  return (performance.now() - from) / rows
}

function createTransaction(): NewTransaction {
  const id = random.id(Date.now())
  return {
    id,
    intent: anyIntent(lane, { to: lane.signer, requestId: id }),
  }
}
