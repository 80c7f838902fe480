/** What an operator can do to a transaction: each with a reason, which is kept. */
import { DroverError, type Transaction } from '@drover/client'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { pause } from '../pause.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import type { Session } from '../service/service-session.ts'
import { judgeSpeedUp, type SpeedUpEnd } from './judge-speed-up.ts'
import { presentTransaction } from './present-transaction.ts'

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

const DECIDED_WITHIN_MS = 5_000
const ASK_EVERY_MS = 250

/** The order was taken. Whether a higher price is signed is decided a moment later, by the node that runs the signer. */
async function reportSpeedUp(session: Session, id: string): Promise<ExitCode | undefined> {
  const end = await awaitSpeedUp(session, id)
  if (end?.type === 'refused') {
    session.note(`Not sped up: ${end.message}. What to do: drover tx explain ${id}`)
    return EXIT.refused
  }
  if (end === null) session.note(`Ordered, not signed yet. To see what became of it: drover tx explain ${id}`)
  return undefined
}

async function awaitSpeedUp({ drover, signal }: Session, id: string): Promise<SpeedUpEnd | null> {
  for (let waited = 0; waited < DECIDED_WITHIN_MS && !signal.aborted; waited += ASK_EVERY_MS) {
    try {
      const query = { order: 'desc', limit: 50 } as const
      const { items } = await drover.request('GET /v1/transactions/{id}/history', { params: { id }, query }, { signal })
      const end = judgeSpeedUp(items.toReversed())
      if (end !== null) return end
    } catch (error) {
      // The order stands, whether or not this key may read what became of it.
      if (!(error instanceof DroverError)) throw error
      return null
    }
    await pause(ASK_EVERY_MS, signal)
  }
  return null
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
        return action === 'speed-up' ? await reportSpeedUp(session, tx.id) : undefined
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
