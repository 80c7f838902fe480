/** `npm run storm -- --minutes 20 [--seed 1] [--rate 25] [--report storm.json]`: one storm, its report, and exit code 1 if anything was violated. */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MAIN } from '../setup/main.ts'
import { runStorm } from './run-storm.ts'
import { printReport } from './storm-report.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rate: { type: 'string', default: '25' },
    report: { type: 'string' },
  },
})
const [minutes, seed, rate] = [Number(values.minutes), Number(values.seed), Number(values.rate)]
if (!(minutes > 0) || !Number.isInteger(seed) || !(rate > 0)) {
  process.stderr.write('--minutes and --rate must be above 0, and --seed a whole number\n')
  process.exit(2)
}
execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/compile.mjs', import.meta.url))], {
  stdio: 'inherit',
})
process.stdout.write(`seed ${seed}\n`)
const tell = (line: string) => void process.stdout.write(`${line}\n`)
const report = await runStorm({ seed, minutes, intentsPerSecond: rate, main: MAIN, tell })
process.stdout.write(printReport(report))
if (values.report !== undefined) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`)
process.exit(report.held ? 0 : 1)
