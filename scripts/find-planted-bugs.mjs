/**
 * Shows that the simulator finds every planted bug: builds it with one bug at a time and runs seeds until a guarantee
 * breaks. `node scripts/find-planted-bugs.mjs [names…]`; prints a line for each, and fails if one is not found.
 */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildSimulator } from './build-simulator.mjs'
import { plantBug } from './plant-bug.mjs'

const MAX_SEEDS = 1_000
const STEPS = 500

const SEARCH = `
const [file, most, steps] = process.argv.slice(1)
const { makePlan, runPlan } = await import(file)
for (let seed = 1; seed <= Number(most); seed++) {
  const { violation } = await runPlan(makePlan(seed, { steps: Number(steps), faults: null }))
  if (violation === null) continue
  console.log(JSON.stringify({ seed, ...violation }))
  process.exit(0)
}
console.log('null')
process.exit(0)
`

/**
 * @param {import('../packages/simulator/src/plants/planted-bugs.ts').PlantedBug} bug
 * @returns {Promise<{ seed: number, guarantee: string, message: string } | null>} null where it was not found
 */
export async function findPlantedBug(bug, maxSeeds = MAX_SEEDS, steps = STEPS) {
  const outDir = fileURLToPath(new URL(`../packages/simulator/dist/planted-${bug.name}`, import.meta.url))
  try {
    const plant = plantBug(bug)
    const file = await buildSimulator({ outDir, plugins: [plant] })
    if (!plant.wasPlanted()) throw new Error(`${bug.name}: ${bug.file} is not part of the simulator`)
    // A process of its own: what a bug leaves running ends with it.
    const args = ['--input-type=module', '-e', SEARCH, pathToFileURL(file).href, String(maxSeeds), String(steps)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null')
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PLANTED_BUGS } = await import(pathToFileURL(await buildSimulator()).href)
  const wanted = process.argv.slice(2)
  for (const bug of PLANTED_BUGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const found = await findPlantedBug(bug)
    if (found === null) process.exitCode = 1
    const what =
      found === null
        ? `NOT FOUND in ${MAX_SEEDS} seeds`
        : `seed ${found.seed}: ${found.guarantee}: ${found.message.slice(0, 160)}`
    console.log(`${bug.name.padEnd(22)}${what}`)
  }
}
