/**
 * What finished transactions cost: `npm run bench retention -- --rows 100000` measures accept, lists, explain, a takeover
 * and retention beside many finished transactions of one signer. `--folder` keeps them for the next run, which only adds
 * what is missing; `--fill` does nothing else, and `--built` skips the build.
 */
import { developmentAccount } from '../tests/setup/anvil.ts'
import { type BenchBase, createKey, startBenchBase } from './flow/stack.ts'
import { withDatabase } from './flow/with-database.ts'
import { build } from './flow.ts'
import { fillFinished, readSizes } from './retention/fill-finished.ts'
import { measureAccept, measureRetention, measureTakeover, settle, warmUp } from './retention/measure-load.ts'
import { measureReads } from './retention/measure-reads.ts'
import {
  createRetentionStand,
  ensureOriginal,
  findOriginal,
  type RetentionStand,
  SENDER,
} from './retention/retention-stand.ts'

const SCENARIO = {
  name: 'retention',
  signers: 2,
  intents: 0,
  blockSeconds: 1,
  preset: 'fast',
  simulate: false,
} as const

export async function benchRetention(options: readonly string[]): Promise<void> {
  const value = (name: string) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined)
  const rows = Number(value('--rows') ?? 100_000)
  if (!options.includes('--built')) build()
  const base = await startBenchBase(SCENARIO, value('--folder'))
  try {
    const onlyFills = options.includes('--fill')
    const isFirst = await withDatabase(base.databaseUrl, async (client) => (await findOriginal(client)) === null)
    const token = isFirst || !onlyFills ? createKey(base.databaseUrl, 'bench', 'read,send,operate,admin') : ''
    await withDatabase(base.databaseUrl, async (client) => {
      const stand = createRetentionStand(base, client, token)
      const original = await ensureOriginal(base, stand)
      await fillFinished(client, original, rows)
      print(await readSizes(client, rows), rows)
      if (!onlyFills) await measure(base, stand, { original, rows })
    })
  } finally {
    await base.stop()
  }
}

interface Filled {
  readonly original: string
  readonly rows: number
}

async function measure(base: BenchBase, stand: RetentionStand, { original, rows }: Filled): Promise<void> {
  const node = await stand.start()
  const call = stand.callOf(node)
  await warmUp(call)
  print({ 'accept, p50 / p99 ms': await measureAccept(call) }, rows)
  await settle(stand)
  const { hash } = await call('GET', `/v1/transactions/${original}`)
  const stranger = developmentAccount(1).address
  print(await measureReads(call, { sender: SENDER.address, stranger, id: original, hash }), rows)
  print(await measureTakeover(stand, node), rows)
  print(await measureRetention(stand), rows)
  await base.chain.call('anvil_mine', ['0x2'])
}

function print(figures: Readonly<Record<string, string>>, rows: number): void {
  for (const [what, figure] of Object.entries(figures))
    process.stdout.write(`| ${rows.toLocaleString('en')} | ${what} | ${figure} |\n`)
}
