/**
 * Shows that the simulator finds every planted bug: builds it with one bug at a time and runs seeds until a guarantee
 * breaks. `npm run planted-bugs -- [--report file] [names…]` prints a line for each, and fails if one is not found.
 */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { PLANTED_BUGS, type PlantedBug } from '../../packages/simulator/src/plants/planted-bugs.ts'
import { buildSimulator } from '../../scripts/build-simulator.mjs'
import { describeRun } from '../../scripts/describe-run.ts'
import { plantBug } from './plant-bug.ts'

export interface FoundBug {
  readonly seed: number
  readonly guarantee: string
  readonly message: string
}

export const MAX_SEEDS = 1_000
const STEPS = 500

const SEARCH = `
const [file, most, steps, first] = process.argv.slice(1)
const { makePlan, runPlan } = await import(file)
const seeds = [Number(first), ...Array.from({ length: Number(most) }, (_, index) => index + 1)]
let found = null
for (const seed of seeds) {
  if (found !== null) break
  const { violation } = await runPlan(makePlan(seed, { steps: Number(steps), faults: null }))
  if (violation !== null) found = { seed, guarantee: violation.guarantee, message: violation.message }
}
process.stdout.write(JSON.stringify(found), () => process.exit(0))
`

/** Tries `first`, then the seeds from 1 on. Null: not in so many seeds. */
export async function findPlantedBug(bug: PlantedBug, { first = 1 } = {}): Promise<FoundBug | null> {
  const outDir = fileURLToPath(new URL(`../../packages/simulator/dist/planted-${bug.name}`, import.meta.url))
  try {
    const { plugin, wasPlanted } = plantBug(bug)
    const file = await buildSimulator({ outDir, plugins: [plugin] })
    if (!wasPlanted()) throw new Error(`${bug.name}: ${bug.file} is not part of the simulator`)
    // A process of its own: what a bug leaves running ends with it.
    const numbers = [MAX_SEEDS, STEPS, first].map(String)
    const args = ['--input-type=module', '-e', SEARCH, pathToFileURL(file).href, ...numbers]
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout) as FoundBug | null
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

async function main(args: string[]): Promise<void> {
  const options = { report: { type: 'string' } } as const
  const { values, positionals: wanted } = parseArgs({ args, options, allowPositionals: true })
  const startedAt = Date.now()
  const all: Record<string, FoundBug | null> = {}
  for (const bug of PLANTED_BUGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const found = await findPlantedBug(bug)
    all[bug.name] = found
    if (found === null) process.exitCode = 1
    const what =
      found === null
        ? `NOT FOUND in ${MAX_SEEDS} seeds`
        : `seed ${found.seed}: ${found.guarantee}: ${found.message.slice(0, 160)}`
    console.log(`${bug.name.padEnd(22)}${what}`)
  }
  if (values.report === undefined) return
  const figures = { command: 'npm run planted-bugs', tookMs: Date.now() - startedAt, maxSeeds: MAX_SEEDS, steps: STEPS }
  await writeFile(values.report, `${JSON.stringify({ ...describeRun(), ...figures, found: all }, null, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
