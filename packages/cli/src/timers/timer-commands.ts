/** `drover timers list`, `show`, `fires`, `queue`, `pause`, `resume`, `cancel` and `params`. */
import { readChainId, readCount } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { UsageError } from '../service/service-session.ts'
import { presentFires, presentQueue, presentTimer, presentTimers } from './present-timer.ts'

interface ListOptions {
  readonly limit: number
  readonly state?: string
  readonly from?: string
  readonly to?: string
  readonly chainId?: number
  readonly before?: string
}

const list: ServiceCommand = {
  name: 'list',
  description: 'list timers, newest first',
  examples: ['drover timers list --state ACTIVE,PAUSED'],
  configure: (command) =>
    void command
      .option('--state <states>', 'only these states, separated by commas')
      .option('--from <address>', 'only timers of this signer')
      .option('--to <address>', 'only timers that call this contract')
      .option('--chain-id <id>', 'only timers of this chain', readChainId)
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
      .option('--before <cursor>', 'continue from `next` of the last page'),
  async run({ drover, signal, style, print }, command) {
    const { limit, state, from, to, chainId, before } = command.opts<ListOptions>()
    const query = {
      limit,
      ...(state !== undefined && { state }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(chainId !== undefined && { chainId }),
      ...(before !== undefined && { before }),
    }
    const page = await drover.request('GET /v1/timers', { query }, { signal })
    print(page, () => (page.items.length === 0 ? 'No timers.' : presentTimers(page.items, style)))
    return undefined
  },
}

const show: ServiceCommand = {
  name: 'show <id>',
  description: 'show a timer',
  examples: ['drover timers show 7a1b…'],
  async run({ drover, signal, style, print }, { args }) {
    const timer = await drover.timers.get(args[0] ?? '', { signal })
    print(timer, () => presentTimer(timer, style))
    return undefined
  },
}

const fires: ServiceCommand = {
  name: 'fires <id>',
  description: 'list what a timer has fired, newest first, with its transactions',
  examples: ['drover timers fires 7a1b… --limit 20'],
  configure: (command) =>
    void command
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
      .option('--before <cursor>', 'continue from `next` of the last page'),
  async run({ drover, signal, style, print }, command) {
    const { limit, before } = command.opts<{ limit: number; before?: string }>()
    const query = { limit, ...(before !== undefined && { before }) }
    const input = { params: { id: command.args[0] ?? '' }, query }
    const page = await drover.request('GET /v1/timers/{id}/fires', input, { signal })
    print(page, () => (page.items.length === 0 ? 'It has not fired yet.' : presentFires(page.items, style)))
    return undefined
  },
}

const queue: ServiceCommand = {
  name: 'queue',
  description: 'show which timers fire at the next block, in order, and which limit holds back the others',
  examples: ['drover timers queue'],
  configure: (command) =>
    void command
      .option('--chain-id <id>', 'the chain; optional if the service has only one', readChainId)
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50),
  async run({ drover, signal, style, print }, command) {
    const { chainId, limit } = command.opts<{ chainId?: number; limit: number }>()
    const found = await drover.timers.queue({ limit, ...(chainId !== undefined && { chainId }) }, { signal })
    print(found, () => presentQueue(found, style))
    return undefined
  },
}

const act = (name: 'pause' | 'resume' | 'cancel', description: string): ServiceCommand => ({
  name: `${name} <id>`,
  description,
  examples: [`drover timers ${name} 7a1b…`],
  async run({ drover, signal, style, print }, { args }) {
    const timer = await drover.timers[name](args[0] ?? '', { signal })
    print(timer, () => presentTimer(timer, style))
    return undefined
  },
})

const params: ServiceCommand = {
  name: 'params <changes...>',
  description: 'change quotas and weights of the timers of a chain, from the next epoch of 64 blocks on',
  examples: ['drover timers params maxFiresPerBlock=10'],
  configure: (command) =>
    void command.option('--chain-id <id>', 'the chain; optional if the service has only one', readChainId),
  async run({ drover, signal, print }, command) {
    const { chainId } = command.opts<{ chainId?: number }>()
    const change = Object.fromEntries(command.args.map(readChange))
    const query = chainId === undefined ? {} : { chainId }
    const answer = await drover.timers.changeParams(change, query, { signal })
    print(answer, () => `Acts from block ${answer.fromHeight}: ${command.args.join(', ')}`)
    return undefined
  },
}

function readChange(text: string): readonly [string, string | boolean | number] {
  const end = text.indexOf('=')
  if (end < 1) throw new UsageError(`"${text}" must have the form name=value`)
  const [name, value] = [text.slice(0, end), text.slice(end + 1)]
  if (value === 'true' || value === 'false') return [name, value === 'true']
  const number = Number(value)
  return [name, Number.isSafeInteger(number) && value !== '' ? number : value]
}

export const timerCommands: readonly ServiceCommand[] = [
  ...[list, show, fires, queue],
  act('pause', 'pause a timer: it does not fire until it is resumed'),
  act('resume', 'resume a paused timer'),
  act('cancel', 'cancel a timer for good; what it has fired is still sent'),
  params,
]
