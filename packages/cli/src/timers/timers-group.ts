/** `drover timers …`, put together. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServiceCommand } from '../service/service-command.ts'
import { createTimer, updateTimer } from './create-command.ts'
import { addSimulateCommand } from './simulate-command.ts'
import { timerCommands } from './timer-commands.ts'

export function addTimersGroup(program: Command, context: CommandContext): void {
  const group = program
    .command('timers')
    .description('make calls at a block, every so many blocks, or when an event is logged')
  for (const definition of [createTimer, ...timerCommands, updateTimer]) addServiceCommand(group, context, definition)
  addSimulateCommand(group, context)
}
