/** A node that runs many idle lanes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createKey, startBenchBase, startBenchNode } from '../flow/stack.ts'
import { readUsage } from '../flow/usage.ts'
import { withDatabase } from '../flow/with-database.ts'

const MEASURED_MS = 30_000
const LOOK_EVERY_MS = 250

export async function measureIdleLanes(lanes: number): Promise<Readonly<Record<string, string>>> {
  const base = await startBenchBase({
    name: 'idle',
    signers: 1,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: true,
  })
  try {
    const token = createKey(base.databaseUrl, 'bench', 'read,admin')
    // Too many for the environment.
    const file = join(base.folder, 'drover.config.json')
    await writeFile(file, JSON.stringify({ signerKeys: Array.from({ length: lanes }, (_, index) => keyOf(index)) }))
    const startedAt = performance.now()
    const node = await startBenchNode(base, { DROVER_CONFIG_FILE: file })
    const readyMs = performance.now() - startedAt
    await untilLeased(base.databaseUrl, lanes)
    const leasedMs = performance.now() - startedAt
    const stack = { ...base, accounts: [], service: { url: node.url, pid: node.pid, token } }
    // One-time work per lane is done after a few blocks.
    await pause(5_000)
    const before = await readUsage(stack)
    await pause(MEASURED_MS)
    const after = await readUsage(stack)
    const perSecond = (from: number, to: number) => ((to - from) / (MEASURED_MS / 1_000)).toFixed(1)
    const percent = (part: 'service' | 'postgres') =>
      `${((((after.cpu?.[part] ?? 0) - (before.cpu?.[part] ?? 0)) / (MEASURED_MS * 1_000)) * 100).toFixed(1)} % of a core`
    return {
      'ready, all lanes leased after': `${(readyMs / 1_000).toFixed(1)} s, ${(leasedMs / 1_000).toFixed(1)} s`,
      'Drover, PostgreSQL': `${percent('service')}, ${percent('postgres')}`,
      'database transactions a second': perSecond(before.databaseTransactions, after.databaseTransactions),
      'RPC calls, requests a second': `${perSecond(before.rpcCalls, after.rpcCalls)}, ${perSecond(before.rpcRequests, after.rpcRequests)}`,
      memory: `${((after.memory ?? 0) / 2 ** 20).toFixed(0)} MB`,
    }
  } finally {
    await base.stop()
  }
}

export function keyOf(index: number): string {
  return `0x${(index + 1).toString(16).padStart(64, '0')}`
}

export async function untilLeased(databaseUrl: string, lanes: number): Promise<void> {
  await withDatabase(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ count: string }>(
        'select count(*) as count from signer_lease where owner_node is not null and expires_at > now()',
      )
      if (Number(rows[0]?.count) >= lanes) return
      await pause(LOOK_EVERY_MS)
    }
  })
}
