/**
 * `npm run mutate -- [--mutants 100] [--minutes 30] [--seed 1] [--report mutation.json]`: plants small bugs in the core and
 * the engine, one at a time, and runs the unit tests that pass by. What no test notices is listed. A seed chooses which.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createChance } from '../fuzz/chance.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import type { NumberedMutant } from './instrument.ts'

interface Passed {
  readonly test: string
  readonly ms: number
  readonly passed: readonly number[]
}

type Fate = 'killed' | 'survived' | 'timed_out' | 'not_reached'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['packages/server/src/core', 'packages/server/src/engine']
const CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const REASONS = new URL('survivors.json', import.meta.url)
/** Of the tests that pass by, the most likely ones to notice: as many as take this long, and always a few. */
const BUDGET_MS = 15_000
const MIN_TESTS = 4
const MIN_TIMEOUT_MS = 60_000

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    /** Where to keep which tests pass by which mutants; used again if it is there. */
    rehearsal: { type: 'string' },
  },
})
const endsAt = Date.now() + Number(values.minutes) * 60_000
const folder = mkdtempSync(join(tmpdir(), 'drover-mutants-'))
const environment = { ...process.env, DROVER_MUTANTS: join(folder, 'mutants.json') }

function listSources(): readonly string[] {
  return FOLDERS.flatMap((from) =>
    readdirSync(join(ROOT, from), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(?:test|suite|property\.test)\.ts$/.test(file))
      .map((file) => `${from}/${file}`),
  ).sort()
}

/** A draw over all places, so that a long file gets its share; none inside another. */
function choose(all: readonly Mutant[], count: number, seed: number): readonly NumberedMutant[] {
  const chance = createChance(seed)
  const left = [...all]
  const chosen: NumberedMutant[] = []
  while (chosen.length < count && left.length > 0) {
    const [mutant] = left.splice(chance.below(left.length), 1)
    const overlaps = ({ file, start, end }: Mutant) => file === mutant?.file && start < mutant.end && mutant.start < end
    if (mutant !== undefined && !chosen.some(overlaps)) chosen.push({ ...mutant, id: chosen.length })
  }
  return chosen
}

/** Which test files pass by which mutants, while all are asleep; they must be green. */
function rehearse(): readonly Passed[] {
  const file = values.rehearsal ?? join(folder, 'passed.jsonl')
  if (existsSync(file)) return readRehearsal(file)
  writeFileSync(file, '')
  const { status, stdout } = spawnSync(process.execPath, [VITEST, 'run', '--config', CONFIG, '--silent'], {
    cwd: ROOT,
    env: { ...environment, DROVER_MUTANTS_PASSED: file },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`the tests fail without any mutant:\n${stdout.slice(-4_000)}`)
  return readRehearsal(file)
}

function readRehearsal(file: string): readonly Passed[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Passed)
}

function runTests(id: number, tests: readonly Passed[]): Promise<Fate> {
  const usualMs = tests.reduce((sum, { ms }) => sum + ms, 0)
  const files = tests.map(({ test }) => relative(ROOT, test))
  const child = spawn(process.execPath, [VITEST, 'run', '--config', CONFIG, '--silent', '--bail=1', ...files], {
    cwd: ROOT,
    env: { ...environment, DROVER_MUTANT: String(id) },
    stdio: 'ignore',
    detached: true,
  })
  return new Promise((resolve) => {
    // A mutant may wait or loop for ever: that is noticed too.
    const timer = setTimeout(
      () => {
        resolve('timed_out')
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      },
      MIN_TIMEOUT_MS + 5 * usualMs,
    )
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0 ? 'survived' : 'killed')
    })
  })
}

/** Those of the same name, then of the same folder, then the quick ones. */
function rank({ file }: Mutant, { test, ms }: Passed): number {
  const place = relative(ROOT, test)
  if (place === file.replace(/\.ts$/, '.test.ts')) return 0
  const isNear = place.slice(0, place.lastIndexOf('/')) === file.slice(0, file.lastIndexOf('/'))
  return ms + (isNear ? 1 : 5_000)
}

async function judge(mutant: NumberedMutant, passed: readonly Passed[]): Promise<Fate> {
  const tests = passed
    .filter((each) => each.passed.includes(mutant.id))
    .sort((a, b) => rank(mutant, a) - rank(mutant, b))
  if (tests.length === 0) return 'not_reached'
  let leftMs = BUDGET_MS
  const likely = tests.filter(({ ms }, index) => {
    leftMs -= ms
    return index < MIN_TESTS || leftMs >= 0
  })
  return await runTests(mutant.id, likely)
}

const spell = ({ file, line, original, mutated, operator }: Mutant): string =>
  `${file}:${line} ${operator}: ${shorten(original)} → ${shorten(mutated)}`
const shorten = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100)
/** Line numbers move; what stands there is what counts. */
const keyOf = ({ file, original, mutated }: Mutant): string => `${file}: ${shorten(original)} → ${shorten(mutated)}`

const all = listSources().flatMap((file) => findMutants(file, readFileSync(join(ROOT, file), 'utf8')))
const chosen = choose(all, Number(values.mutants), Number(values.seed))
writeFileSync(environment.DROVER_MUTANTS, JSON.stringify(chosen))
process.stdout.write(`seed ${values.seed}: ${chosen.length} of ${all.length} mutants\n`)
const reasons: Readonly<Record<string, string>> = JSON.parse(readFileSync(REASONS, 'utf8'))
const passed = rehearse()
const fates: { readonly mutant: NumberedMutant; readonly fate: Fate }[] = []
for (const mutant of chosen) {
  if (Date.now() > endsAt) break
  const fate = await judge(mutant, passed)
  fates.push({ mutant, fate })
  if (fate !== 'killed') process.stdout.write(`${fate} ${spell(mutant)}\n`)
}
const isKilled = ({ fate }: { readonly fate: Fate }): boolean => fate === 'killed' || fate === 'timed_out'
const survivors = fates.filter((each) => !isKilled(each))
const explained = survivors.filter(({ mutant }) => reasons[keyOf(mutant)] !== undefined)
const counted = fates.length - explained.length
const score = counted === 0 ? 0 : Math.round((1_000 * fates.filter(isKilled).length) / counted) / 10
const report = {
  seed: Number(values.seed),
  places: all.length,
  tried: fates.length,
  score,
  killed: fates.filter(isKilled).length,
  equivalent: explained.map(({ mutant }) => ({ mutant: spell(mutant), reason: reasons[keyOf(mutant)] })),
  survivors: survivors
    .filter((each) => !explained.includes(each))
    .map(({ mutant, fate }) => ({ fate, mutant: spell(mutant) })),
}
rmSync(folder, { recursive: true })
if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`)
process.stdout.write(`${report.killed} of ${counted} noticed (${score} %), ${explained.length} change nothing\n`)
