/**
 * `npm run mutate -- [--mutants 100] [--minutes 30] [--seed 1] [--report mutation.json]`: plants small bugs in the core and
 * the engine, one at a time, and runs the unit tests that pass by. What no test notices is listed. A seed chooses which.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeRun } from '../../scripts/describe-run.ts'
import { chooseMutants, listMutants } from './choose-mutants.ts'
import type { Mutant } from './find-mutants.ts'
import type { NumberedMutant } from './instrument.ts'
import { type Fate, judgeMutant, type Passed } from './judge-mutant.ts'
import { openTestServer } from './open-test-servers.ts'

interface Judged {
  readonly mutant: NumberedMutant
  readonly fate: Fate
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const NOBODY = 1_000_000
/** Why a survivor is no gap in the tests: what it changes cannot be seen. */
const REASONS = new URL('survivors.json', import.meta.url)

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    report: { type: 'string' },
    /** Wakes none of them: every one must then survive, else the tests fail by themselves. */
    control: { type: 'boolean', default: false },
    /** Only those in files whose path contains this. */
    only: { type: 'string', default: '' },
  },
})
const startedAt = Date.now()
const endsAt = startedAt + Number(values.minutes) * 60_000
const folder = mkdtempSync(join(tmpdir(), 'drover-mutants-'))
const environment = { ...process.env, DROVER_MUTANTS: join(folder, 'mutants.json') }

/** Which test files pass by which mutants, while all are asleep; they must be green. */
function rehearse(): readonly Passed[] {
  const file = join(folder, 'passed.jsonl')
  writeFileSync(file, '')
  const { status, stdout } = spawnSync(process.execPath, [VITEST, 'run', '--config', CONFIG, '--silent'], {
    cwd: ROOT,
    env: { ...environment, DROVER_MUTANTS_PASSED: file },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`the tests fail without any mutant:\n${stdout.slice(-4_000)}`)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Passed)
}

async function judgeAll(chosen: readonly NumberedMutant[], passed: readonly Passed[]): Promise<readonly Judged[]> {
  const left = [...chosen]
  const judged: Judged[] = []
  const workers = Array.from({ length: Number(values.workers) }, async (_, number) => {
    const server = await openTestServer(folder, number, environment)
    for (let mutant = left.shift(); mutant !== undefined && Date.now() < endsAt; mutant = left.shift()) {
      const awake = values.control ? NOBODY : mutant.id
      const fate = await judgeMutant(mutant, passed, { server, root: ROOT, awake })
      judged.push({ mutant, fate })
      if (fate !== 'killed') process.stdout.write(`${fate} ${spell(mutant)}\n`)
    }
    server.close()
  })
  await Promise.all(workers)
  return judged.sort((a, b) => a.mutant.id - b.mutant.id)
}

const spell = ({ file, line, original, mutated, operator }: Mutant): string =>
  `${file}:${line} ${operator}: ${shorten(original)} → ${shorten(mutated)}`
const shorten = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100)
/** Line numbers move; what stands there is what counts. */
const keyOf = ({ file, original, mutated }: Mutant): string => `${file}: ${shorten(original)} → ${shorten(mutated)}`

const all = listMutants(ROOT).filter(({ file }) => file.includes(values.only))
const chosen = chooseMutants(all, Number(values.mutants), Number(values.seed))
writeFileSync(environment.DROVER_MUTANTS, JSON.stringify(chosen))
process.stdout.write(`seed ${values.seed}: ${chosen.length} of ${all.length} mutants\n`)
const reasons: Readonly<Record<string, string>> = existsSync(REASONS) ? JSON.parse(readFileSync(REASONS, 'utf8')) : {}
const judged = await judgeAll(chosen, rehearse())
rmSync(folder, { recursive: true })

const isKilled = ({ fate }: Judged): boolean => fate === 'killed' || fate === 'timed_out'
const survivors = judged.filter((each) => !isKilled(each))
const explained = survivors.filter(({ mutant }) => reasons[keyOf(mutant)] !== undefined)
const killed = judged.filter(isKilled).length
const counted = judged.length - explained.length
const score = counted === 0 ? 0 : Math.round((1_000 * killed) / counted) / 10
const report = {
  command: `npm run mutate -- --mutants ${values.mutants} --seed ${values.seed}`,
  ...describeRun(),
  tookMs: Date.now() - startedAt,
  seed: Number(values.seed),
  places: all.length,
  tried: judged.length,
  killed,
  score,
  equivalent: explained.map(({ mutant }) => ({ mutant: spell(mutant), reason: reasons[keyOf(mutant)] })),
  survivors: survivors
    .filter((each) => !explained.includes(each))
    .map(({ mutant, fate }) => ({ fate, mutant: spell(mutant), key: keyOf(mutant) })),
}
if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`)
process.stdout.write(`${killed} of ${counted} noticed (${score} %), ${explained.length} change nothing\n`)
