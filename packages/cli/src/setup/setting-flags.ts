/** Command-line flags out of the settings table, and back into values for it. */

import {
  type ConfigInput,
  environmentVariableOf,
  findSettingName,
  flagOf,
  isSecret,
  readConfigFile,
  resolveSettings,
  SETTING_NAMES,
  type SettingName,
  secretsOf,
  settingOf,
} from '@drover/server/settings'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'

/** Secrets get none: they come by environment or file. */
export function addSettingFlags(command: Command, names: readonly SettingName[] = SETTING_NAMES): Command {
  for (const name of names) {
    const flag = flagOf(name)
    if (flag === null) continue
    const { type, description, fallback } = settingOf(name)
    const isSwitch = typeof fallback === 'boolean'
    const option = new Option(`${flag} ${isSwitch ? '[value]' : '<value>'}`, description.replaceAll('`', ''))
    command.addOption(option.default(undefined, type.print(fallback)))
  }
  return command
}

/** Reads flags, environment and file; from here on, the secrets among them cannot be printed any more. */
export async function readConfigInput(command: Command, context: CommandContext): Promise<ConfigInput> {
  const flags: Partial<Record<SettingName, unknown>> = {}
  for (const [key, value] of Object.entries(command.opts<Record<string, unknown>>())) {
    const name = findSettingName(key)
    if (name !== null) flags[name] = value
  }
  const { env, folder } = context.terminal
  const asked = flags.configFile ?? (env[environmentVariableOf('configFile')] || null)
  const file = await readConfigFile(asked === null ? null : String(asked), folder)
  const input: ConfigInput = { env, flags, file }
  for (const secret of secretsOf(resolveSettings(input))) context.redactor.hide(secret)
  // What could not be read is a secret all the same.
  for (const name of SETTING_NAMES.filter(isSecret)) context.redactor.hide(env[environmentVariableOf(name)] ?? '')
  return input
}
