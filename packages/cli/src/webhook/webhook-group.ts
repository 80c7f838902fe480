/** `drover webhook …`, put together. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addServiceCommand } from '../service/service-command.ts'
import { deliveryCommands } from './delivery-commands.ts'
import { webhookCommands } from './webhook-commands.ts'

export function addWebhookGroup(program: Command, context: CommandContext): void {
  const group = program.command('webhook').description('manage webhooks and their deliveries')
  for (const definition of [...webhookCommands, ...deliveryCommands]) addServiceCommand(group, context, definition)
}
