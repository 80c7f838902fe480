/** The whole service over HTTP, from acceptance to finality, compared with a bare sender that does nothing but send. */
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Result, runScenario } from './flow/run-scenario.ts'
import { SCENARIOS, type Scenario, SMOKE } from './flow/scenario.ts'

/** What runs if nothing is named. */
const USUAL = ['one-signer', '16-signers', 'paced-1000']

export async function benchFlow(options: readonly string[]): Promise<void> {
  build()
  const earlier = await readEarlier(optionValue(options, '--compare'))
  const results: Result[] = []
  for (const scenario of choose(options)) {
    process.stderr.write(`${scenario.name} …\n`)
    const warmUp = optionValue(options, '--warm-up')
    results.push(await runScenario(warmUp === null ? scenario : { ...scenario, warmUp: Number(warmUp) }))
  }
  printTable(results, earlier)
  for (const { name, calls, statements } of results) {
    process.stdout.write(`\n${name}, for each intent\n  calls: ${spell(calls)}\n  statements: ${spell(statements)}\n`)
  }
  const file = optionValue(options, '--save')
  if (file !== null) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  }
  if (options.includes('--smoke')) checkCounts(results)
}

export function build(): void {
  const built = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stdout}${built.stderr}`)
}

function choose(options: readonly string[]): readonly Scenario[] {
  if (options.includes('--smoke')) return [SMOKE]
  if (options.includes('--all')) return SCENARIOS
  const names = optionValue(options, '--scenario')?.split(',') ?? USUAL
  const chosen = SCENARIOS.filter(({ name }) => names.includes(name))
  if (chosen.length !== names.length) {
    throw new Error(`unknown scenario; there are ${SCENARIOS.map(({ name }) => name).join(', ')}`)
  }
  return chosen
}

function optionValue(options: readonly string[], name: string): string | null {
  const place = options.indexOf(name)
  return place < 0 ? null : (options[place + 1] ?? null)
}

async function readEarlier(file: string | null): Promise<readonly Result[]> {
  return file === null ? [] : (JSON.parse(await readFile(file, 'utf8')) as readonly Result[])
}

function printTable(results: readonly Result[], earlier: readonly Result[]): void {
  const rows = results.flatMap((result) => {
    const before = earlier.find(({ name }) => name === result.name)
    return before === undefined ? [describe(result)] : [describe(result), describe(before, `${before.name}, before`)]
  })
  const heads = Object.keys(rows[0] ?? {})
  const lines = [heads, heads.map(() => '---'), ...rows.map((row) => Object.values(row))]
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
}

function describe(result: Result, name = result.name): Readonly<Record<string, string>> {
  const ms = ({ p50, p99 }: Result['toMined']) =>
    p50 === null || p99 === null ? '–' : `${p50.toFixed(0)} / ${p99.toFixed(0)}`
  const { cpu, cpuToMined } = result
  const spellCpu = (used: Result['cpu']) =>
    used === null ? '' : [used.service, used.chain, used.postgres].map((each) => each.toFixed(0)).join(' / ')
  return {
    scenario: name,
    'accepted/s': result.acceptedPerSecond.toFixed(0),
    'mined/s': result.minedPerSecond?.toFixed(0) ?? '–',
    'bare mined/s': result.barePerSecond.toFixed(0),
    'of bare':
      result.minedPerSecond === null ? '–' : `${((result.minedPerSecond / result.barePerSecond) * 100).toFixed(0)} %`,
    'final/s': result.finalPerSecond?.toFixed(0) ?? '–',
    'accept p50/p99 ms': ms(result.accept),
    'to broadcast': ms(result.toBroadcast),
    'to mined': ms(result.toMined),
    'CPU µs: Drover / chain / PostgreSQL': spellCpu(cpu),
    'until mined': spellCpu(cpuToMined),
    driver: result.driverCpu.toFixed(0),
    'RPC calls / requests': `${result.rpcCalls.toFixed(3)} / ${result.rpcRequests.toFixed(3)}`,
    'database transactions': result.databaseTransactions.toFixed(3),
    'memory MB': result.memoryMb?.toFixed(0) ?? '',
    refused: JSON.stringify(result.refused),
  }
}

function spell(counts: Result['calls']): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toFixed(4)}`)
    .join(', ')
}

/**
 * The most an intent may cost. Only what grows with intents: polls grow with time, and so with the speed of the
 * machine.
 */
const BOUNDS = {
  calls: { eth_sendRawTransaction: 1.5, eth_estimateGas: 0.5, eth_getTransactionReceipt: 0.5 },
  statements: { find_api_keys: 1, find_requests: 0.5, insert_transactions: 0.5, write_lanes: 0.5 },
} as const

function checkCounts(results: readonly Result[]): void {
  for (const { name, refused, ...counts } of results) {
    if (Object.keys(refused).length > 0) throw new Error(`${name}: requests were refused: ${JSON.stringify(refused)}`)
    for (const kind of ['calls', 'statements'] as const) {
      for (const [what, most] of Object.entries(BOUNDS[kind])) {
        const count = counts[kind][what] ?? 0
        if (count > most) throw new Error(`${name}: ${count} × ${what} for an intent, at most ${most} expected`)
      }
    }
  }
}
