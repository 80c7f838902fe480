/** Runs dependency-cruiser and reads what it found: the rules are only worth something if modules were really read. */
import { fileURLToPath } from 'node:url'
import { runProgram } from './run-program.ts'

export interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: string
}

export interface Cruise {
  readonly moduleCount: number
  readonly violations: readonly Violation[]
}

interface Report {
  readonly summary: {
    readonly totalCruised: number
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

const PROGRAM = fileURLToPath(new URL('../node_modules/.bin/depcruise', import.meta.url))

export async function cruise(folder: string, config: string, paths: readonly string[]): Promise<Cruise> {
  // Its exit code is the number of violations; only an answer that cannot be read means that it did not run.
  const { stdout, output } = await runProgram(PROGRAM, ['--config', config, '--output-type', 'json', ...paths], folder)
  const report: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : null
  if (!isReport(report)) throw new Error(`dependency-cruiser did not run: ${output}`)
  return {
    moduleCount: report.summary.totalCruised,
    violations: report.summary.violations.map(({ from, to, rule }) => ({ from, to, rule: rule.name })),
  }
}

function isReport(value: unknown): value is Report {
  if (typeof value !== 'object' || value === null || !('summary' in value)) return false
  const { summary } = value
  return typeof summary === 'object' && summary !== null && 'totalCruised' in summary && 'violations' in summary
}
