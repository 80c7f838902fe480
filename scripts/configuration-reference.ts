/** The reference page of all settings, out of the settings table. */
import {
  CHAIN_SETTING_NAMES,
  environmentVariableOf,
  flagOf,
  isRequired,
  isSecret,
  SETTING_NAMES,
  type SettingName,
  settingOf,
} from '../packages/server/src/config/settings.ts'
import { markdownTable } from './markdown-table.ts'

export function buildConfigurationReference(): string {
  return `# Configuration

A setting can be given as a flag of \`drover start\`, as an environment variable, or in the file \`drover.config.json\` or
\`drover.config.ts\` in the working directory (or where \`DROVER_CONFIG_FILE\` says). Flags come before the environment, the
environment before the file. Secrets have no flag, since anybody on a machine can read a process's arguments.

A duration is written as \`500ms\`, \`15s\`, \`5m\`, \`2h\` or \`1d\`, or as a number of milliseconds. An environment variable that is
empty counts as not set. A \`DROVER_…\` variable or a key in the file that is no setting is an error, and all errors are told
at once. \`drover config\` prints what is in force and where it came from, without secrets.

${markdownTable(['setting', 'environment and flag', 'type', 'default', 'meaning'], SETTING_NAMES.map(rowOf))}

## Several chains

In the file, \`chains\` is a list with an entry for each chain. An entry may hold ${listOf(CHAIN_SETTING_NAMES)};
what it leaves out is taken from the top of the file, then from the defaults. With more than one chain, each entry needs its
\`chainId\`, and \`rpcUrl\` cannot be given by environment.

\`\`\`json
{
  "finality": "finalized",
  "chains": [
    { "chainId": 1, "rpcUrl": "https://ethereum-rpc.example" },
    { "chainId": 10, "rpcUrl": ["https://optimism-rpc.example"], "blockTime": "2s", "finality": "safe" }
  ]
}
\`\`\`
`
}

function rowOf(name: SettingName): readonly string[] {
  const { type, description, fallback } = settingOf(name)
  const flag = flagOf(name)
  const ways = [environmentVariableOf(name), ...(flag === null ? [] : [flag])]
  return [
    `\`${name}\`${isSecret(name) ? ' (secret)' : ''}`,
    ways.map((way) => `\`${way}\``).join(' '),
    type.label,
    isRequired(name) ? 'required' : type.print(fallback),
    description,
  ]
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
