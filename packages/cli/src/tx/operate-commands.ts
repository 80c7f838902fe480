/** What an operator can do to a transaction: each with a reason, which is kept. */
import type { Transaction } from '@drover/client'
import { pause } from '../pause.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import type { Session } from '../service/service-session.ts'
import { presentTransaction } from './present-transaction.ts'
import { reportSpeedUp, type SpeedUpPorts } from './report-speed-up.ts'

type Action = 'cancel' | 'speed-up' | 'suspend' | 'resume' | 'retry' | 'requeue' | 'close' | 'approve' | 'reject'

const DESCRIPTIONS: Readonly<Record<Action, string>> = {
  cancel: 'cancel a transaction: drop it, or replace it with an empty one if it was sent',
  'speed-up': 'replace a transaction with the same one at a higher price',
  suspend: 'hold a transaction until it is resumed',
  resume: 'continue a suspended transaction',
  retry: 'retry a waiting or stuck transaction now',
  requeue: 'send a transaction with a new nonce, after another transaction used its nonce',
  close: 'end a transaction as cancelled, after another transaction used its nonce',
  approve: 'approve a transaction that waits for approval, with an API key that its rules name',
  reject: 'refuse a transaction that waits for approval: it is cancelled',
}

const ACTIONS = Object.keys(DESCRIPTIONS) as readonly Action[]

function toSpeedUpPorts({ drover, signal, note }: Session, id: string): SpeedUpPorts {
  const params = { id }
  return {
    signal,
    note,
    pause: (ms) => pause(ms, signal),
    readTransaction: () => drover.request('GET /v1/transactions/{id}', { params }, { signal }),
    async readHistory() {
      const query = { order: 'desc', limit: 50 } as const
      const { items } = await drover.request('GET /v1/transactions/{id}/history', { params, query }, { signal })
      return items.toReversed()
    },
  }
}

export const operateCommands: readonly ServiceCommand[] = [
  ...ACTIONS.map(
    (action): ServiceCommand => ({
      name: `${action} <id>`,
      description: DESCRIPTIONS[action],
      examples: [`drover tx ${action} 01990a5e-… --reason "asked for by the customer"`],
      configure: (command) =>
        void command.requiredOption('--reason <text>', 'why; stored in the history and the audit log'),
      async run(session, command) {
        const { drover, signal, style, print } = session
        const [id = ''] = command.args
        const { reason } = command.opts<{ reason: string }>()
        const input = { params: { id }, body: { reason } }
        const tx: Transaction = await drover.request(`POST /v1/transactions/{id}/${action}`, input, { signal })
        print(tx, () => presentTransaction(tx, style))
        return action === 'speed-up' ? await reportSpeedUp(tx.id, toSpeedUpPorts(session, tx.id)) : undefined
      },
    }),
  ),
  {
    name: 'resolve <id>',
    description: 'end a stuck transaction with the result of the transaction that used its nonce, if both do the same',
    examples: ['drover tx resolve 01990a5e-… --reason "sent by hand"'],
    configure: (command) =>
      void command
        .option('--hash <hash>', 'the transaction that used the nonce (default: Drover finds it)')
        .requiredOption('--reason <text>', 'why; stored in the history and the audit log'),
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
