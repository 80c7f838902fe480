/** The reference page of the command line, out of its tree of commands. */
import { type CommandNode, describeCommands, listNodes } from '../packages/cli/src/completion/command-tree.ts'
import { createProcessTerminal } from '../packages/cli/src/output/terminal.ts'
import { createProgram } from '../packages/cli/src/run-cli.ts'
import { createRedactor } from '../packages/server/src/telemetry/redactor.ts'
import { markdownTable } from './markdown-table.ts'

export function buildCliReference(): string {
  const terminal = createProcessTerminal()
  const program = createProgram({ terminal, redactor: createRedactor([]), finish: () => undefined })
  const commands = listNodes(describeCommands(program)).filter(({ children }) => children.length === 0)
  return `# Commands of \`drover\`

Every command has \`--help\` with examples. Guide: [cli.md](../cli.md). Exit codes: [errors.md](errors.md).

${markdownTable(
  ['command', 'does'],
  commands.map((node) => [`[\`${nameOf(node)}\`](#${nameOf(node).replaceAll(' ', '-')})`, node.description]),
)}

${commands.map(describeCommand).join('\n\n')}
`
}

function nameOf({ path }: CommandNode): string {
  return ['drover', ...path].join(' ')
}

function describeCommand(node: CommandNode): string {
  const rows = node.options
    .filter(({ long }) => long !== '--help')
    .map(({ flags, description, choices }) => [
      `\`${flags}\``,
      choices.length === 0 ? description : `${description} (${choices.join(', ')})`,
    ])
  const options = rows.length === 0 ? [] : ['', markdownTable(['option', ''], rows)]
  return [`## ${nameOf(node)}`, '', `\`${nameOf(node)} ${node.usage}\`: ${node.description}.`, ...options].join('\n')
}
