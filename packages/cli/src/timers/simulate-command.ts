/** `drover timers simulate`: plays a scenario on the reference chain and shows who fired when, who waited, and what it cost. */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'

export function addSimulateCommand(group: Command, context: CommandContext): void {
  const simulate = group
    .command('simulate')
    .description('run a scenario on the reference chain; without a file, run the built-in congestion demo')
    .argument('[scenario]', 'scenario file (JSON)')
    .option('--svg <file>', 'write a plot of the run (SVG)')
    .option('--json', 'print the whole report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  drover timers simulate
  drover timers simulate scenario.json --svg run.svg`,
    )
    .action((scenario: string | undefined) => simulateScenario(scenario, simulate, context))
}

async function simulateScenario(
  scenario: string | undefined,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { svg, json } = command.opts<{ svg?: string; json?: boolean }>()
  const inFolder = (path: string): string => resolve(context.terminal.folder, path)
  const refuse = (problem: string): void => {
    context.terminal.stderr.write(`${problem}\n`)
    context.finish(EXIT.usage)
  }
  let text: string | undefined
  try {
    if (scenario !== undefined) text = await readFile(inFolder(scenario), 'utf8')
  } catch (error) {
    return refuse(`cannot read the scenario: ${error instanceof Error ? error.message : error}`)
  }
  const { simulateTimers } = await import('@drover/timers')
  const simulation = simulateTimers(text)
  if (simulation.type === 'invalid') {
    return refuse([`${scenario} is not a scenario:`, ...simulation.problems.map((line) => `  ${line}`)].join('\n'))
  }
  if (svg !== undefined) await writeFile(inFolder(svg), simulation.svg)
  printLine(context, json === true ? JSON.stringify(simulation.report, spellBigInts) : simulation.table)
  context.finish(EXIT.ok)
}

function spellBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
