/** `drover config`: what every setting is, where that came from, and what is wrong with it. Secrets stay hidden. */

import {
  CHAIN_SETTING_NAMES,
  ConfigProblems,
  findContradictions,
  type Resolved,
  type ResolvedSettings,
  resolveSettings,
  SETTING_NAMES,
  type SettingName,
  settingOf,
} from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { addSettingFlags, readConfigInput } from './setting-flags.ts'

interface Row {
  readonly name: string
  readonly value: string | null
  readonly source: string
}

export function addConfigCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('config')
    .description('print the effective configuration, without secrets, and list its problems')
    .option('--json', 'print JSON')
    .action(() => showConfig(command, context))
  addSettingFlags(command)
}

async function showConfig(command: Command, context: CommandContext): Promise<void> {
  const resolved = resolveSettings(await readConfigInput(command, context))
  const rows = listRows(resolved)
  const asJson = command.opts<{ json?: boolean }>().json === true
  printLine(context, asJson ? presentJson(rows) : presentTable(rows))
  const problems = [...resolved.problems, ...findContradictions(resolved)]
  if (problems.length > 0) throw new ConfigProblems(problems)
  context.finish(EXIT.ok)
}

function listRows(resolved: ResolvedSettings): readonly Row[] {
  // Where the file has chains, what belongs to a chain is found there and not at the top.
  const own = resolved.chains[0]?.values === resolved.values
  const top = SETTING_NAMES.filter((name) => own || !CHAIN_SETTING_NAMES.includes(name))
  const rows = top.map((name) => rowOf(name, name, resolved))
  if (own) return rows
  return rows.concat(
    resolved.chains.flatMap((chain, index) =>
      CHAIN_SETTING_NAMES.map((name) => rowOf(`chains[${index}].${name}`, name, chain)),
    ),
  )
}

function rowOf(label: string, name: SettingName, { values, sources }: Resolved): Row {
  const value: unknown = values[name]
  return {
    name: label,
    value: value === undefined ? null : settingOf(name).type.print(value),
    source: sources[name] ?? '-',
  }
}

function presentTable(rows: readonly Row[]): string {
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  const sourceWidth = Math.max(...rows.map(({ source }) => source.length))
  return rows
    .map(
      ({ name, value, source }) => `${name.padEnd(nameWidth)}  ${source.padEnd(sourceWidth)}  ${value ?? '(not set)'}`,
    )
    .join('\n')
}

function presentJson(rows: readonly Row[]): string {
  return JSON.stringify(Object.fromEntries(rows.map(({ name, value, source }) => [name, { value, source }])), null, 2)
}
