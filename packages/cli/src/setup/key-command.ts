/**
 * `drover key create|list|revoke`: API keys, directly in the database. Database access needs no key, so this is how you
 * create the first one, and how you get back in after locking yourself out.
 */

import { SCOPES } from '@drover/server/core'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { collect, readAmount, readChainId, readCount, readInstantOrSpan } from '../option-value.ts'
import type { KeyAction } from './key-actions.ts'
import { addSettingFlags } from './setting-flags.ts'

export function addKeyCommand(program: Command, context: CommandContext): void {
  const parent = program.command('key').description('manage API keys, directly in the database (DROVER_DATABASE_URL)')
  const create = addSub(parent, context, 'create', 'create a key and print its token, once', 'create')
  create
    .requiredOption('--name <name>', 'who or what uses the key')
    .requiredOption('--scope <scopes>', `what it may do, comma-separated: ${SCOPES.join(', ')}`)
    .option('--tenant <name>', 'tenant it belongs to (default: its name); use the same tenant to replace a key')
    .option('--signer <address>', 'only this signer; repeat for more', collect)
    .option('--chain <id>', 'only this chain; repeat for more', collectChains)
    .option('--rate <number>', 'items per second; a batch counts as the number of its items', readCount(1, 100_000))
    .option('--burst <number>', 'maximum number of items at once', readCount(1, 100_000))
    .option('--max-tx-fee <amount>', 'maximum fee for each transaction it sends', readAmount)
    .option(
      '--expires <when>',
      'a duration from now (720h), or an ISO 8601 time with a time zone',
      readInstantOrSpan(1),
    )
    .addHelpText(
      'after',
      `
Examples:
  drover key create --name ops --scope read,send,operate,admin
  drover key create --name payouts --scope read,send --signer 0xf39F… --rate 50
  drover key create --name payouts-2027 --tenant payouts --scope read,send`,
    )
  addSub(parent, context, 'list', 'list all keys, newest first', 'list').addHelpText(
    'after',
    '\nExample:\n  drover key list --json',
  )
  addSub(parent, context, 'revoke <id>', 'revoke a key; every node refuses it at once', 'revoke').addHelpText(
    'after',
    '\nExample:\n  drover key revoke 1f0c9a6b5d7e8f90',
  )
}

function addSub(
  parent: Command,
  context: CommandContext,
  name: string,
  description: string,
  action: KeyAction,
): Command {
  const command = parent.command(name).description(description).option('--json', 'print JSON')
  command.action(async () => {
    // Loaded only now: help and wrong usage should not pay for the schemas and the database.
    const { runKeyAction } = await import('./key-actions.ts')
    await runKeyAction(action, command, context)
  })
  return addSettingFlags(command, ['configFile'])
}

function collectChains(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, readChainId(text)]
}
