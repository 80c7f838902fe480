/** `drover signer …`, put together. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServiceCommand } from '../service/service-command.ts'
import { compareCommand } from './compare-command.ts'
import { custodyCommands } from './custody-commands.ts'
import { policyCommands } from './policy-commands.ts'
import { reservationCommands } from './reservation-commands.ts'
import { signerCommands } from './signer-commands.ts'
import { addSignerKeyCommands } from './signer-key-commands.ts'
import { takeBackCommands } from './take-back-commands.ts'

export function addSignerGroup(program: Command, context: CommandContext): void {
  const group = program.command('signer').description('manage signers: keys, state, policy, nonces')
  addSignerKeyCommands(group, context)
  const definitions = [
    ...signerCommands,
    compareCommand,
    ...policyCommands,
    ...custodyCommands,
    ...reservationCommands,
    ...takeBackCommands,
  ]
  for (const definition of definitions) addServiceCommand(group, context, definition)
}
