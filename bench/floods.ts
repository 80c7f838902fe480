/**
 * Floods, one after the other: more load than the node can take, receivers and readers that hang, many lanes, a long
 * queue, huge payloads. What does each cost in memory, does another tenant notice, and is anything lost?
 */
import { writeFile } from 'node:fs/promises'
import { describeRun } from '../scripts/describe-run.ts'
import { type FloodsReport, presentFloods } from '../scripts/reliability/floods-section.ts'
import { listFloods } from './floods/floods-list.ts'
import { type FloodResult, runFlood } from './floods/run-flood.ts'
import { build } from './flow.ts'

const SECONDS = 10
const AFTER_SECONDS = 15
const DEPTH = 20_000

/** `--seconds 60` for longer floods, `--after 60`, `--depth 100000`, `--only payloads` for some, `--report file`. */
export async function benchFloods(options: readonly string[]): Promise<void> {
  const floodMs = numberOption(options, '--seconds', SECONDS) * 1_000
  const afterMs = numberOption(options, '--after', AFTER_SECONDS) * 1_000
  const only = textOption(options, '--only') ?? ''
  const list = listFloods(numberOption(options, '--depth', DEPTH)).filter(({ name }) => name.includes(only))
  if (list.length === 0) throw new Error('there is no such flood')
  build()
  const file = textOption(options, '--report')
  const startedAt = performance.now()
  const floods: FloodResult[] = []
  for (const flood of list) {
    process.stderr.write(`${flood.name} …\n`)
    const result = await runFlood(flood, { floodMs, afterMs })
    printDetails(result)
    floods.push(result)
    const command = `npm run bench -- floods ${options.filter((option) => option !== '--report' && option !== file).join(' ')}`
    const report: FloodsReport = {
      ...describeRun(),
      command: command.trim(),
      tookMs: performance.now() - startedAt,
      floods,
    }
    // After each, so that a run that is cut short leaves what it has.
    if (file !== null) await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
    if (flood === list.at(-1)) process.stdout.write(`\n${presentFloods(report)}\n`)
  }
  if (floods.some(({ outcome }) => outcome.lost + outcome.doubled > 0)) process.exitCode = 1
}

function printDetails({ name, refused, failures }: FloodResult): void {
  process.stdout.write(`\n${name}\n  refused: ${JSON.stringify(refused)}\n`)
  process.stdout.write(`  failed for the other tenant: ${JSON.stringify(failures)}\n`)
}

function textOption(options: readonly string[], name: string): string | null {
  const place = options.indexOf(name)
  return place < 0 ? null : (options[place + 1] ?? null)
}

function numberOption(options: readonly string[], name: string, fallback: number): number {
  const given = textOption(options, name)
  return given === null ? fallback : Number(given)
}
