/** `drover simulate`: a cluster, a chain and their faults, replayed from a seed, with every guarantee checked after every step. */
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { readCount } from '../option-value.ts'
import { loadSimulator } from './load-simulator.ts'
import { writeReport } from './write-report.ts'

interface Options {
  readonly seed: number
  readonly seeds: number
  readonly steps: number
  readonly minutes?: number
  readonly faults?: readonly string[]
  readonly trace: boolean
  readonly workers: number
  readonly report?: string
}

const MAX_SEED = 2 ** 31

export function addSimulateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('simulate')
    .description('run a simulated cluster with faults, and check every guarantee after every step')
    .option('--seed <number>', 'first seed', readCount(0, MAX_SEED), 1)
    .option('--seeds <count>', 'how many seeds to run', readCount(1, MAX_SEED), 1)
    .option('--steps <count>', 'steps for each seed', readCount(1, 1_000_000), 500)
    .option('--minutes <minutes>', 'run further seeds for this long', readCount(1, 100_000))
    .option('--faults <names>', 'only these faults, separated by commas; "none" for none', readNames)
    .option('--workers <count>', 'how many processes run seeds at once; each seed gives the same', readCount(1, 64), 1)
    .option('--trace', 'print everything that happens', false)
    .option('--report <file>', 'write the figures to this file, as JSON')
    .addHelpText(
      'after',
      `
The same seed gives the same trace on every machine. Seeds that failed once are in packages/simulator/seeds.json and run first.

Examples:
  drover simulate --seed 7 --trace
  drover simulate --seed 1 --seeds 1000 --workers 2
  drover simulate --seed 1 --minutes 20 --faults reorg,kill,db-answer-lost`,
    )
    .action(() => runSimulation(command.opts<Options>(), context))
}

async function runSimulation(options: Options, context: CommandContext): Promise<void> {
  const simulator = await loadSimulator()
  const unknown = options.faults?.find((name) => !Object.hasOwn(simulator.FAULTS, name))
  if (unknown !== undefined) {
    const known = Object.entries(simulator.FAULTS).map(([name, meaning]) => `  ${name.padEnd(18)}${meaning}`)
    context.terminal.stderr.write(`unknown fault: ${unknown}. The faults are:\n${known.join('\n')}\n`)
    return context.finish(EXIT.usage)
  }
  const isMany = options.seeds > 1 || options.minutes !== undefined
  const { failed, summary, tookMs } = await simulator.simulate(
    {
      seed: options.seed,
      seeds: options.seeds,
      steps: options.steps,
      trace: options.trace,
      minutes: options.minutes ?? null,
      faults: options.faults ?? null,
      kept: isMany ? simulator.readKeptSeeds() : [],
      workers: options.workers,
    },
    (line) => printLine(context, line),
  )
  if (options.report !== undefined)
    await writeReport(resolve(context.terminal.folder, options.report), {
      command: spellCommand(options),
      tookMs,
      summary,
    })
  context.finish(failed === null ? EXIT.ok : EXIT.failure)
}

function spellCommand({ seed, seeds, steps, minutes, faults, workers }: Options): string {
  const length = minutes === undefined ? `--seeds ${seeds}` : `--minutes ${minutes}`
  const only = faults === undefined ? '' : ` --faults ${faults.join() || 'none'}`
  const several = workers === 1 ? '' : ` --workers ${workers}`
  return `drover simulate --seed ${seed} ${length} --steps ${steps}${only}${several}`
}

function readNames(text: string): readonly string[] {
  if (text === 'none') return []
  const names = text.split(',').map((name) => name.trim())
  if (names.some((name) => name === '')) throw new InvalidArgumentError('It must be names separated by commas.')
  return names
}
