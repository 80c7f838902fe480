/**
 * Floods, one after the other: more load than the node can take, receivers and readers that hang, many lanes, a long
 * queue, huge payloads. What does each cost in memory, does another tenant notice, and is anything lost?
 */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { describeRun } from '../scripts/describe-run.ts'
import { type FloodsRun, presentFloods } from '../scripts/reliability/floods-section.ts'
import { listFloods } from './floods/floods-list.ts'
import { type FloodResult, runFlood } from './floods/run-flood.ts'
import { build } from './flow.ts'

const SECONDS = 10
const AFTER_SECONDS = 15
const DEPTH = 20_000

/**
 * `--seconds 60` for longer floods, `--after 60`, `--depth 100000`, `--only payloads,lanes` for some. `--report file` adds
 * the run to a file.
 */
export async function benchFloods(options: readonly string[]): Promise<void> {
  const floodMs = numberOption(options, '--seconds', SECONDS) * 1_000
  const afterMs = numberOption(options, '--after', AFTER_SECONDS) * 1_000
  const only = (textOption(options, '--only') ?? '').split(',')
  const all = listFloods(numberOption(options, '--depth', DEPTH))
  const list = all.filter(({ name }) => only.some((part) => name.includes(part)))
  if (list.length === 0) throw new Error(`there is no such flood; there are ${all.map(({ name }) => name).join(', ')}`)
  build()
  const file = textOption(options, '--report')
  const given = options.filter((option) => option !== '--report' && option !== file)
  const command = ['npm run bench -- floods', ...given].join(' ')
  const earlier = file === null ? [] : await readRuns(file)
  const startedAt = performance.now()
  const floods: FloodResult[] = []
  for (const flood of list) {
    process.stderr.write(`${flood.name} …\n`)
    floods.push(await runFlood(flood, { floodMs, afterMs }))
    const run: FloodsRun = { ...describeRun(), command, tookMs: performance.now() - startedAt, floods }
    process.stdout.write(`\n${presentFloods([run])}\n`)
    // After each, so that a run that is cut short leaves what it has.
    if (file !== null) await writeFile(file, `${JSON.stringify([...earlier, run], null, 2)}\n`)
  }
  if (floods.some(({ outcome }) => outcome.lost + outcome.doubled > 0)) process.exitCode = 1
}

async function readRuns(file: string): Promise<readonly FloodsRun[]> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as readonly FloodsRun[]) : []
}

function textOption(options: readonly string[], name: string): string | null {
  const place = options.indexOf(name)
  return place < 0 ? null : (options[place + 1] ?? null)
}

function numberOption(options: readonly string[], name: string, fallback: number): number {
  const given = textOption(options, name)
  return given === null ? fallback : Number(given)
}
