/** What an operator can do to a transaction: each with a reason, which is kept. */
import type { Transaction } from '@drover/client'
import type { ServiceCommand } from '../service/service-command.ts'
import { presentTransaction } from './present-transaction.ts'

type Action = 'cancel' | 'speed-up' | 'suspend' | 'resume' | 'retry' | 'requeue' | 'close'

const DESCRIPTIONS: Readonly<Record<Action, string>> = {
  cancel: 'drop a transaction, or replace it by one that does nothing',
  'speed-up': 'sign a transaction again at a higher price',
  suspend: 'hold a transaction back',
  resume: 'let a suspended transaction go on',
  retry: 'try again at once what waits or is stuck',
  requeue: 'send it under a new nonce, where another transaction used the one it had',
  close: 'give it up, where another transaction used its nonce',
}

const ACTIONS = Object.keys(DESCRIPTIONS) as readonly Action[]

export const operateCommands: readonly ServiceCommand[] = [
  ...ACTIONS.map(
    (action): ServiceCommand => ({
      name: `${action} <id>`,
      description: DESCRIPTIONS[action],
      examples: [`drover tx ${action} 01990a5e-… --reason "asked for by the customer"`],
      configure: (command) => void command.requiredOption('--reason <text>', 'why; kept with who did it'),
      async run({ drover, signal, style, print }, command) {
        const [id = ''] = command.args
        const { reason } = command.opts<{ reason: string }>()
        const input = { params: { id }, body: { reason } }
        const tx: Transaction = await drover.request(`POST /v1/transactions/{id}/${action}`, input, { signal })
        print(tx, () => presentTransaction(tx, style))
        return undefined
      },
    }),
  ),
  {
    name: 'resolve <id>',
    description: 'end a stuck transaction as the one that used its nonce ended, if that did the same',
    examples: ['drover tx resolve 01990a5e-… --reason "sent by hand"'],
    configure: (command) =>
      void command
        .option('--hash <hash>', 'the transaction that used the nonce; left out, it is looked for')
        .requiredOption('--reason <text>', 'why; kept with who did it'),
    async run({ drover, signal, style, print }, command) {
      const [id = ''] = command.args
      const { reason, hash } = command.opts<{ reason: string; hash?: string }>()
      const input = { params: { id }, body: { reason, ...(hash !== undefined && { hash }) } }
      const tx = await drover.request('POST /v1/transactions/{id}/resolve', input, { signal })
      print(tx, () => presentTransaction(tx, style))
      return undefined
    },
  },
]
