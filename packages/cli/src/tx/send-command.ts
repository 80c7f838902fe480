/** `drover tx send`: sends a transaction and, on a terminal, shows its progress. */
import { DroverError, type Stage, WAIT_STAGES } from '@drover/client'
import { Option } from 'commander'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { readDuration } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import type { Session } from '../service/service-session.ts'
import { followTransactions } from './follow.ts'
import { addIntentOptions, type IntentOptions, toRequest } from './intent-options.ts'

interface SendOptions extends IntentOptions {
  readonly wait?: Stage | 'none'
  readonly timeout?: number
}

export const sendCommand: ServiceCommand = {
  name: 'send',
  description: 'send a transaction: a transfer, a contract call, or a deployment',
  examples: [
    'drover tx send --from 0xf39F… --to 0x7099… --value 0.1ether',
    'drover tx send --from 0xf39F… --to 0xA0b8… --function "transfer(address,uint256)" --arg 0x7099… --arg 1000000',
    'drover tx send --from 0xf39F… --to 0x7099… --value 5gwei --request-id order-17 --wait confirmed --json',
  ],
  configure(command) {
    addIntentOptions(command)
      .addOption(
        new Option('--wait <stage>', 'return at this stage (default: confirmed on a terminal, none elsewhere)').choices(
          ['none', ...WAIT_STAGES],
        ),
      )
      .option('--timeout <duration>', 'maximum time to wait; the transaction continues', readDuration)
  },
  run: (session, command) => send(session, command.opts<SendOptions>()),
}

async function send(session: Session, options: SendOptions): Promise<ExitCode> {
  const { drover, signal, style, json } = session
  const { snapshot: tx } = await drover.send(toRequest(options), { signal }).catch((error: unknown) => {
    if (error instanceof DroverError && error.transient && error.requestId !== undefined) {
      session.note(
        `It may have been accepted. Run the command again with --request-id ${error.requestId}: it is never sent twice.`,
      )
    }
    throw error
  })
  const wait = options.wait ?? (style.width !== null && !json ? 'confirmed' : 'none')
  if (wait === 'none') {
    session.print(tx, () => `accepted ${tx.id}`)
    return EXIT.ok
  }
  return await followTransactions(session, {
    first: [tx],
    until: wait,
    timeoutMs: options.timeout ?? null,
    json: 'end',
  })
}
