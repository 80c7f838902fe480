/** `drover tx …`: transactions. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServiceCommand } from '../service/service-command.ts'
import { listCommand } from './list-command.ts'
import { operateCommands } from './operate-commands.ts'
import { sendCommand } from './send-command.ts'
import {
  attemptsCommand,
  confirmationsCommand,
  explainCommand,
  historyCommand,
  receiptCommand,
  showCommand,
} from './show-commands.ts'
import { watchCommand } from './watch-command.ts'

export function addTxGroup(program: Command, context: CommandContext): void {
  const group = program.command('tx').description('send, inspect and manage transactions')
  for (const definition of [
    sendCommand,
    listCommand,
    showCommand,
    watchCommand,
    explainCommand,
    historyCommand,
    attemptsCommand,
    confirmationsCommand,
    receiptCommand,
    ...operateCommands,
  ]) {
    addServiceCommand(group, context, definition)
  }
}
