/**
 * `drover signer create|import|rotate-master`: keys in the database, encrypted under the master key, or in files of a
 * keystore folder. Without the service, like API keys: a private key does not travel over HTTP. Running nodes learn of
 * it at once, or within seconds.
 */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addSettingFlags } from '../setup/setting-flags.ts'
import type { SignerKeyAction } from './signer-key-actions.ts'

const KEYSTORE = ['--keystore', 'write a file to keystoreDir; the default if there is no masterKey'] as const

export function addSignerKeyCommands(group: Command, context: CommandContext): void {
  add(
    group,
    context,
    'create',
    'create a key, encrypted in the database or in the keystore folder; running nodes use it',
    [
      'DROVER_MASTER_KEY=file:/run/secrets/master drover signer create',
      'DROVER_KEYSTORE_DIR=/etc/drover/keys DROVER_KEYSTORE_PASSWORD=file:/run/secrets/keystore drover signer create',
    ],
  ).option(...KEYSTORE)
  add(group, context, 'import', 'import a private key (hex) from stdin or a file', [
    'drover signer import --file key.txt',
    'vault kv get -field=private_key secret/payouts | drover signer import',
  ])
    .option('--file <path>', 'file with the private key; default: stdin')
    .option(...KEYSTORE)
  add(
    group,
    context,
    'rotate-master',
    'encrypt all keys again under the first key of DROVER_MASTER_KEY; safe while nodes run',
    ['DROVER_MASTER_KEY=file:/run/secrets/new,file:/run/secrets/old drover signer rotate-master'],
  )
}

function add(
  group: Command,
  context: CommandContext,
  name: SignerKeyAction,
  description: string,
  examples: readonly string[],
): Command {
  const command = group.command(name).description(description).option('--json', 'print JSON')
  command.addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'))
  command.action(async () => {
    // Loaded only now: help and wrong usage should not pay for the database.
    const { runSignerKeyAction } = await import('./signer-key-actions.ts')
    await runSignerKeyAction(name, command, context)
  })
  return addSettingFlags(command, ['configFile'])
}
