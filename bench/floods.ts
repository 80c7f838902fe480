/**
 * Floods, one after the other: more load than the node can take, receivers and readers that hang, many lanes, a long
 * queue, huge payloads. What does each cost in memory, does another tenant notice, and is anything lost?
 */
import { writeFile } from 'node:fs/promises'
import { listFloods } from './floods/floods-list.ts'
import { type Compared, type FloodResult, runFlood } from './floods/run-flood.ts'
import { build } from './flow.ts'

const SECONDS = 10
const AFTER_SECONDS = 15
const DEPTH = 20_000

/** `--seconds 60` for longer floods, `--after 60`, `--depth 100000`, `--only payloads` for some, `--report file`. */
export async function benchFloods(options: readonly string[]): Promise<void> {
  const floodMs = numberOption(options, '--seconds', SECONDS) * 1_000
  const afterMs = numberOption(options, '--after', AFTER_SECONDS) * 1_000
  const only = textOption(options, '--only') ?? ''
  const floods = listFloods(numberOption(options, '--depth', DEPTH)).filter(({ name }) => name.includes(only))
  if (floods.length === 0) throw new Error('there is no such flood')
  build()
  const results: FloodResult[] = []
  for (const flood of floods) {
    process.stderr.write(`${flood.name} …\n`)
    results.push(await runFlood(flood, { floodMs, afterMs }))
    printDetails(results.at(-1) as FloodResult)
  }
  printTable(results)
  const file = textOption(options, '--report')
  if (file !== null) await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
  if (results.some(({ outcome }) => outcome.lost + outcome.doubled > 0)) process.exitCode = 1
}

function printTable(results: readonly FloodResult[]): void {
  const heads = [
    'flood',
    'memory MB: before / peak / after',
    'accepted/s',
    'refused/s',
    'other tenant: accept p50 / p99 ms (× calm)',
    'read p50 / p99 ms (× calm)',
    'longest queue',
    'accepted / lost / doubled',
  ]
  const rows = results.map(({ memoryMb: { before, peak, after }, ...result }) => [
    result.name,
    [before, peak, after].map((mb) => mb.toFixed(0)).join(' / '),
    result.acceptedPerSecond.toFixed(0),
    result.refusedPerSecond.toFixed(0),
    describe(result.accept),
    describe(result.read),
    result.longestWebhookQueue > 0
      ? `${result.longestQueue}; webhook ${result.longestWebhookQueue}`
      : String(result.longestQueue),
    `${result.outcome.accepted} / ${result.outcome.lost} / ${result.outcome.doubled}`,
  ])
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  process.stdout.write(`\n${lines.join('\n')}\n`)
}

function describe({ calm, flooded }: Compared): string {
  const ratio = (share: 'p50' | 'p99') => (flooded[share] / Math.max(1, calm[share])).toFixed(1)
  return `${flooded.p50.toFixed(0)} / ${flooded.p99.toFixed(0)} (${ratio('p50')} / ${ratio('p99')})`
}

function printDetails({ name, refused, failures, notes }: FloodResult): void {
  process.stdout.write(`\n${name}\n`)
  process.stdout.write(
    `  refused: ${JSON.stringify(refused)}\n  failed for the other tenant: ${JSON.stringify(failures)}\n`,
  )
  for (const note of notes) process.stdout.write(`  ${note}\n`)
}

function textOption(options: readonly string[], name: string): string | null {
  const place = options.indexOf(name)
  return place < 0 ? null : (options[place + 1] ?? null)
}

function numberOption(options: readonly string[], name: string, fallback: number): number {
  const given = textOption(options, name)
  return given === null ? fallback : Number(given)
}
