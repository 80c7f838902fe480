/** `drover whoami`: which API key is used, and what it may do. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { presentFields } from '../output/present-fields.ts'
import { toVisible } from '../output/style.ts'
import { addServiceCommand } from './service-command.ts'

export function addWhoamiCommand(program: Command, context: CommandContext): void {
  addServiceCommand(program, context, {
    name: 'whoami',
    description: 'show which API key is used, its scopes, and the signers and chains it is limited to',
    examples: ['drover whoami', 'drover whoami --json'],
    async run({ drover, signal, style, print }) {
      const caller = await drover.request('GET /v1/caller', {}, { signal })
      const { keyId, name, tenant, scopes, signers, chains } = caller
      print(caller, () =>
        presentFields(
          [
            ['key', keyId === null ? 'none needed: the service has no keys' : `${toVisible(name)} (${keyId})`],
            ['tenant', tenant],
            ['scopes', scopes.join(', ')],
            ['signers', signers === null ? 'all' : signers.join(', ')],
            ['chains', chains === null ? 'all' : chains.join(', ')],
          ],
          style,
        ),
      )
      return undefined
    },
  })
}
