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

Set a setting with a flag of \`drover start\`, an environment variable, or the configuration file, in this order of precedence. The file is
\`drover.config.json\` in the working directory, or the one that \`DROVER_CONFIG_FILE\` names, which may also be TypeScript. Secrets have no flag, because
every user of the machine can read the arguments of a process.

Write a duration as \`500ms\`, \`15s\`, \`5m\`, \`2h\` or \`1d\`, or as a number of milliseconds. An empty environment variable counts as not set. An unknown
\`DROVER_…\` variable or key in the file is an error. Drover reports all errors at once. \`drover config\` prints all settings and where they come from,
without secrets.

${markdownTable(['setting', 'environment and flag', 'type', 'default', 'meaning'], SETTING_NAMES.map(rowOf))}

## Several chains

In the file, \`chains\` is a list with one entry per chain. An entry may set ${listOf(CHAIN_SETTING_NAMES)}.
For the rest, the top level of the file applies, then the defaults. With more than one chain, each entry needs its \`chainId\`, and you cannot set
\`rpcUrl\` in the environment.

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
