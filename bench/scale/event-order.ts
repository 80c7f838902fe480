/**
 * What the one row costs that numbers events in commit order: several writers on one database wait for each other at it,
 * and the same writers on a database each do not. Both on one server, with every commit flushed to disk.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../../packages/dev/src/postgres/embedded-postgres.ts'
import { createSystemRandom } from '../../packages/server/src/app/system-random.ts'
import type { Lane } from '../../packages/server/src/core/lane/lane.ts'
import { STABLE } from '../../packages/server/src/core/lane/policy.ts'
import type { Store } from '../../packages/server/src/ports/store.ts'
import { migrate } from '../../packages/server/src/store/postgres/migrate.ts'
import { createPostgresStore } from '../../packages/server/src/store/postgres/postgres-store.ts'
import { anyIntent } from '../../packages/server/src/testing/store/samples.ts'
import { createSilentTelemetry } from '../../packages/server/src/testing/telemetry/recording-telemetry.ts'
import { withDatabase } from '../flow/with-database.ts'

const WRITERS = [1, 2, 4, 8]
const BATCHES = [1, 100]
const MEASURED_MS = 3_000

const random = createSystemRandom()

export async function measureEventOrder(): Promise<Readonly<Record<string, string>>> {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'drover-bench-')), 'postgres')
  const postgres = await startEmbeddedPostgres({ dataDir })
  const stores: Store[] = []
  try {
    for (let index = 0; index < Math.max(...WRITERS); index++) {
      stores.push(await openDatabase(postgres.databaseUrl, `writer_${index}`))
    }
    const rows: Record<string, string> = {}
    for (const batch of BATCHES) {
      for (const writers of WRITERS) {
        const [shared] = stores
        if (shared === undefined) throw new Error('there is no database')
        const together = await writeFor(
          Array.from({ length: writers }, () => shared),
          batch,
        )
        const apart = await writeFor(stores.slice(0, writers), batch)
        rows[`${writers} writers, ${batch} per commit: accepted a second, one database, one each`] =
          `${together.toFixed(0)}, ${apart.toFixed(0)} (${((together / apart) * 100).toFixed(0)} %)`
      }
    }
    return rows
  } finally {
    for (const store of stores) await store.close()
    await postgres.stop()
    await removeEmbeddedPostgres(dataDir)
  }
}

async function openDatabase(serverUrl: string, name: string): Promise<Store> {
  await withDatabase(serverUrl, (client) => client.query(`create database ${name}`))
  const databaseUrl = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  await migrate(databaseUrl)
  const store = createPostgresStore({ databaseUrl, telemetry: createSilentTelemetry() })
  const lanes = Array.from({ length: Math.max(...WRITERS) }, (_, index) => laneOf(index))
  await store.registerSigners(lanes.map((lane) => ({ lane, policy: STABLE, label: null })))
  return store
}

function laneOf(index: number): Lane {
  return { chainId: 1, signer: `0x${String(index + 10).repeat(20)}` }
}

/** Transactions per second of all writers. Each has its own lane and waits for its own commits only. */
async function writeFor(stores: readonly Store[], batch: number): Promise<number> {
  const startedAt = performance.now()
  let written = 0
  const write = async (store: Store, index: number): Promise<void> => {
    const lane = laneOf(index)
    while (performance.now() - startedAt < MEASURED_MS) {
      const fresh = Array.from({ length: batch }, () => {
        const id = random.id(Date.now())
        return { id, intent: anyIntent(lane, { to: lane.signer, requestId: id }) }
      })
      await store.insertTransactions(fresh)
      written += batch
    }
  }
  await Promise.all(stores.map(write))
  return written / ((performance.now() - startedAt) / 1_000)
}
