/**
 * What finished transactions cost: `npm run bench retention -- --rows 100000` measures accept, lists, explain, a takeover
 * and retention beside many finished transactions of one lane. `--folder` keeps them for the next run, which only adds what is
 * missing; `--fill` does nothing else.
 */
import type { Client } from 'pg'
import { developmentAccount } from '../tests/setup/anvil.ts'
import { eventually } from '../tests/setup/eventually.ts'
import { type BenchBase, type BenchNode, createKey, startBenchBase, startBenchNode } from './flow/stack.ts'
import { withDatabase } from './flow/with-database.ts'
import { build } from './flow.ts'
import { fillFinished, MAX_COPIES, raiseNumbers, readSizes } from './retention/fill-finished.ts'

const SENDER = developmentAccount(0)
export async function benchRetention(options: readonly string[]): Promise<void> {
  const value = (name: string) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined)
  const rows = Number(value('--rows') ?? 100_000)
  if (!options.includes('--built')) build()
  const scenario = {
    name: 'retention',
    signers: 2,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: false,
  } as const
  const base = await startBenchBase(scenario, value('--folder'))
  try {
    const token = createKey(base.databaseUrl, 'bench', 'read,send,operate,admin')
    await withDatabase(base.databaseUrl, async (client) => {
      const original = (await findOriginal(client)) ?? (await createOriginal(base, client, token))
      await fillFinished(client, original, rows)
      print(await readSizes(client, rows), rows)
    })
  } finally {
    await base.stop()
  }
}

async function findOriginal(client: Client): Promise<string | null> {
  const { rows } = await client.query<{ tx_id: string }>(
    `select tx_id from managed_tx where request_id = 'original' and final_at is not null`,
  )
  return rows[0]?.tx_id ?? null
}

/** A transfer that the service sent, with nonces before it for the copies. */
async function createOriginal(base: BenchBase, client: Client, token: string): Promise<string> {
  await raiseNumbers(client)
  await base.chain.call('anvil_setNonce', [SENDER.address, `0x${MAX_COPIES.toString(16)}`])
  const node = await startNode(base)
  const post = { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }
  const body = JSON.stringify({ from: SENDER.address, to: SENDER.address, value: '1', requestId: 'original' })
  await fetch(`${node.url}/v1/transactions`, { ...post, body })
  const id = await eventually(
    () => findOriginal(client),
    (found) => found !== null,
  )
  await node.end('SIGTERM')
  return id ?? ''
}

function startNode(base: BenchBase): Promise<BenchNode> {
  return startBenchNode(base, {
    DROVER_SIGNER_KEYS: SENDER.privateKey,
    DROVER_FINALITY: '1',
    DROVER_SIGNER_POLICY: 'fast',
  })
}

function print(figures: Readonly<Record<string, string>>, rows: number): void {
  for (const [what, figure] of Object.entries(figures))
    process.stdout.write(`| ${rows.toLocaleString('en')} | ${what} | ${figure} |\n`)
}
