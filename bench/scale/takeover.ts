/** How long lanes are without an owner when their node dies, and when it stops cleanly. Default lease times. */
import { setTimeout as pause } from 'node:timers/promises'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { type BenchBase, type BenchNode, createKey, startBenchBase, startBenchNode } from '../flow/stack.ts'
import { withDatabase } from '../flow/with-database.ts'

const LANES = 20
const LOOK_EVERY_MS = 10

export async function measureTakeover(): Promise<Readonly<Record<string, string>>> {
  const base = await startBenchBase({
    name: 'takeover',
    signers: LANES,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: true,
  })
  try {
    createKey(base.databaseUrl, 'bench', 'read,admin')
    const keys = Array.from({ length: LANES }, (_, index) => developmentAccount(index).privateKey).join(',')
    const start = () => startBenchNode(base, { DROVER_SIGNER_KEYS: keys })
    const killed = await start()
    await untilOwnedBy(base, 1)
    const heir = await start()
    // Lanes are spread over both nodes; those of the first move to the second.
    await untilOwnedBy(base, 2)
    const kill = await measure(base, killed, 'SIGKILL')
    const second = await start()
    await untilOwnedBy(base, 2)
    const stop = await measure(base, heir, 'SIGTERM')
    await second.end('SIGTERM')
    return {
      'after kill -9, until the other node runs every lane': `${(kill / 1_000).toFixed(1)} s (leases last 15 s)`,
      'after an orderly stop': `${stop.toFixed(0)} ms`,
    }
  } finally {
    await base.stop()
  }
}

async function measure(base: BenchBase, node: BenchNode, signal: NodeJS.Signals): Promise<number> {
  const startedAt = performance.now()
  const ended = node.end(signal)
  if (signal === 'SIGKILL') await ended
  await untilOwnedBy(base, 1)
  const tookMs = performance.now() - startedAt
  await ended
  return tookMs
}

/** Waits until every lane is held by one of this many live nodes. */
async function untilOwnedBy({ databaseUrl }: BenchBase, nodes: number): Promise<void> {
  await withDatabase(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ lanes: string; nodes: string }>(
        `select count(*) as lanes, count(distinct owner_node) as nodes
           from signer_lease where owner_node is not null and expires_at > now()`,
      )
      const [row] = rows
      if (Number(row?.lanes) === LANES && Number(row?.nodes) === nodes) return
      await pause(LOOK_EVERY_MS)
    }
  })
}
