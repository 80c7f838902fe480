/**
 * `drover key create|list|revoke`: API keys, straight in the database. Whoever can reach that needs no key, so this is how
 * the first one is made, and the way back in for those who have locked themselves out.
 */

import { SCOPES } from '@drover/server/core'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { collect, readAmount, readChainId, readCount, readInstantOrSpan } from '../option-value.ts'
import type { KeyAction } from './key-actions.ts'
import { addSettingFlags } from './setting-flags.ts'

export function addKeyCommand(program: Command, context: CommandContext): void {
  const parent = program.command('key').description('API keys, straight in the database of DROVER_DATABASE_URL')
  const create = addSub(parent, context, 'create', 'make a key; its token is printed once', 'create')
  create
    .requiredOption('--name <name>', 'whose it is, or what it is for')
    .requiredOption('--scope <scopes>', `what it may do, separated by commas: ${SCOPES.join(', ')}`)
    .option('--tenant <name>', 'whom it belongs to, if that is not its name: a key that takes over names the same one')
    .option('--signer <address>', 'only this signer; may be given several times', collect)
    .option('--chain <id>', 'only this chain; may be given several times', collectChains)
    .option(
      '--rate <number>',
      'items in a second: a request is one, a batch as many as it holds',
      readCount(1, 100_000),
    )
    .option('--burst <number>', 'items at once', readCount(1, 100_000))
    .option('--max-tx-fee <amount>', 'the most that a transaction it sends may cost in fees', readAmount)
    .option('--expires <when>', 'a duration from now (720h) or a time with a zone', readInstantOrSpan(1))
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
  addSub(parent, context, 'revoke <id>', 'revoke a key: every node refuses it from now on', 'revoke').addHelpText(
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
  const command = parent.command(name).description(description).option('--json', 'print one document of JSON')
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
