/** `drover signer …`: the accounts that Drover sends from, one lane for each chain. */
import type { Command } from 'commander'
import { EXIT } from '../exit-code.ts'
import { readChainId } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { presentTransactions } from '../tx/present-transaction.ts'
import { presentLane, presentLanes } from './present-lane.ts'
import { presentReset } from './present-reset.ts'

const addChainId = (command: Command) =>
  command.option('--chain-id <id>', 'the chain; optional if the signer is on only one', readChainId)
const addReason = (command: Command) =>
  command.requiredOption('--reason <text>', 'why; stored in the events and the audit log')

interface LaneOptions {
  readonly chainId?: number
  readonly reason: string
}

const onLane = ({ chainId, reason }: LaneOptions) => ({ ...(chainId !== undefined && { chainId }), reason })

const list: ServiceCommand = {
  name: 'list',
  description: 'list signers on all chains',
  examples: ['drover signer list'],
  async run({ drover, signal, style, print }) {
    const items = await drover.signers.list({ signal })
    print({ items }, () => presentLanes(items, style))
    return undefined
  },
}

const show: ServiceCommand = {
  name: 'show <address>',
  description: 'show a signer on each chain, with its policy and latest resets',
  examples: ['drover signer show 0xf39F…'],
  async run({ drover, signal, style, print }, { args }) {
    const signer = await drover.signers.get(args[0] ?? '', { signal })
    print(signer, () => {
      const resets = signer.resets.map(
        ({ requestedAt, state, fromNonce, toNonce, reason }) =>
          `reset ${requestedAt} ${state}: nonce ${fromNonce ?? '-'} to ${toNonce ?? '-'}, ${reason}`,
      )
      return [...signer.lanes.map((lane) => presentLane(lane, style)), ...resets].join('\n\n')
    })
    return undefined
  },
}

function pauseOrResume(action: 'pause' | 'resume', description: string): ServiceCommand {
  return {
    name: `${action} <address>`,
    description,
    examples: [`drover signer ${action} 0xf39F… --reason "key rotation"`],
    configure: (command) => void addReason(addChainId(command)),
    async run({ drover, signal, style, print }, command) {
      const request = onLane(command.opts<LaneOptions>())
      const lane = await drover.signers[action](command.args[0] ?? '', request, { signal })
      print(lane, () => presentLane(lane, style))
      return undefined
    },
  }
}

interface ResetOptions extends LaneOptions {
  readonly cancelInFlight?: boolean
}

const resetNonce: ServiceCommand = {
  name: 'reset-nonce <address>',
  description:
    "set the next nonce to the chain's transaction count; refused while something in flight uses that nonce or a higher one",
  examples: [
    'drover signer reset-nonce 0xf39F… --reason "the chain was reset"',
    'drover signer reset-nonce 0xf39F… --cancel-in-flight --reason "everything is stuck"',
  ],
  configure: (command) =>
    void addReason(addChainId(command)).option('--cancel-in-flight', 'cancel everything in flight first'),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<ResetOptions>()
    const body = { ...onLane(options), ...(options.cancelInFlight && { cancelInFlight: true }) }
    const input = { params: { address: command.args[0] ?? '' }, body }
    const reset = await drover.request('POST /v1/signers/{address}/reset-nonce', input, { signal })
    print(reset, () => presentReset(reset, style))
    return reset.state === 'REFUSED' ? EXIT.refused : EXIT.ok
  },
}

const showReset: ServiceCommand = {
  name: 'reset <address> <id>',
  description: 'show the progress of a nonce reset',
  examples: ['drover signer reset 0xf39F… 01990a5e-…'],
  async run({ drover, signal, style, print }, { args: [address = '', id = ''] }) {
    const input = { params: { address, id } }
    const reset = await drover.request('GET /v1/signers/{address}/resets/{id}', input, { signal })
    print(reset, () => presentReset(reset, style))
    return reset.state === 'REFUSED' ? EXIT.refused : EXIT.ok
  },
}

const fillGap: ServiceCommand = {
  name: 'fill-gap <address>',
  description: 'fill nonce gaps with empty transactions',
  examples: ['drover signer fill-gap 0xf39F… --reason "nonce 17 is lost"'],
  configure: (command) => void addReason(addChainId(command)),
  async run({ drover, signal, style, print }, command) {
    const input = { params: { address: command.args[0] ?? '' }, body: onLane(command.opts<LaneOptions>()) }
    const { items } = await drover.request('POST /v1/signers/{address}/fill-gap', input, { signal })
    print({ items }, () => (items.length === 0 ? 'No gaps.' : presentTransactions(items, style, Date.now())))
    return undefined
  },
}

export const signerCommands: readonly ServiceCommand[] = [
  list,
  show,
  pauseOrResume('pause', 'pause a signer: no new nonces; what is in flight continues'),
  pauseOrResume('resume', 'resume a paused signer'),
  resetNonce,
  showReset,
  fillGap,
]
