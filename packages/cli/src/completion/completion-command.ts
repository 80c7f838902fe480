/** `drover completion`: prints what makes a shell complete commands and options. */
import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { describeCommands } from './command-tree.ts'
import { SHELLS, type Shell, writeCompletion } from './completion-scripts.ts'

export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(drover completion bash)
  drover completion fish > ~/.config/fish/completions/drover.fish`,
    )
    .action((shell: Shell) => {
      context.terminal.stdout.write(writeCompletion(shell, describeCommands(program)))
      context.finish(EXIT.ok)
    })
}
