/** `drover chain …` and `drover node …`: what the service follows, and what it consists of. */
import type { Block, Chain, DroverNode } from '@drover/client'
import { formatAmount, formatGwei, nameChainState, spellDuration } from '@drover/server/core'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { readCount } from '../option-value.ts'
import { presentEndpoints } from '../output/present-endpoints.ts'
import { presentFields } from '../output/present-fields.ts'
import { presentTable } from '../output/present-table.ts'
import { shorten } from '../output/style.ts'
import { addServiceCommand, type ServiceCommand } from './service-command.ts'
import { Interrupted, type Session, UsageError } from './service-session.ts'

const listChains: ServiceCommand = {
  name: 'list',
  description: 'list the chains and their RPC nodes',
  examples: ['drover chain list'],
  async run({ drover, signal, style, print }) {
    const items = await drover.chains.list({ signal })
    print({ items }, () => {
      const chains = presentTable<Chain>(
        [
          { heading: 'CHAIN', align: 'right', cell: ({ chainId }) => String(chainId) },
          { heading: 'HEAD', align: 'right', cell: ({ head }) => (head === null ? '-' : String(head.number)) },
          { heading: 'AGE', align: 'right', cell: ({ head }) => (head === null ? '-' : ageOf(head.timestamp)) },
          { heading: 'SAFE', align: 'right', cell: ({ safe }) => String(safe ?? '-') },
          { heading: 'FINALIZED', align: 'right', cell: ({ finalized }) => String(finalized ?? '-') },
          { heading: 'FINALITY', cell: ({ finality }) => String(finality) },
          { heading: 'HEALTH', cell: ({ health }) => colourOf(health.state) },
          { heading: 'PROBLEM', cell: ({ health, lastError }) => health.message ?? lastError ?? '' },
        ],
        items,
        style,
      )
      return `${chains}\n\n${presentEndpoints(items, style)}`
    })
    return undefined
  },
}

function colourOf(state: Chain['health']['state']) {
  return { text: nameChainState(state), colour: state === 'ok' ? 'green' : 'red' } as const
}

const blocks: ServiceCommand = {
  name: 'blocks <chainId>',
  description: 'list confirmed blocks, lowest first',
  examples: ['drover chain blocks 1 --after 19000000 --limit 20', 'drover chain blocks 1 --follow'],
  configure: (command) =>
    void command
      .option('--after <number>', 'start after this block', readCount(0, Number.MAX_SAFE_INTEGER))
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
      .option('--follow', 'print each block when it is confirmed, until Ctrl-C'),
  async run(session, command) {
    const { drover, signal, style, print, note, json } = session
    const { follow = false, ...query } = command.opts<{ follow?: boolean; after?: number; limit: number }>()
    if (follow) return followBlocks(session, readChain(command), query.after)
    const page = await drover.chains.blocks(readChain(command), pick(query), { signal })
    print(page, () =>
      presentTable<Block>(
        [
          { heading: 'BLOCK', align: 'right', cell: ({ number }) => String(number) },
          { heading: 'TIME', cell: ({ timestamp }) => timestamp },
          { heading: 'HASH', cell: ({ hash }) => shorten(hash, style) },
        ],
        page.items,
        style,
      ),
    )
    if (page.gap && !json) note(`Blocks before ${page.from} are no longer stored.`)
    return undefined
  },
}

async function followBlocks(session: Session, chainId: number, after: number | undefined): Promise<ExitCode> {
  const { drover, signal, style, json, note, print } = session
  const onGap = (from: number) => json || note(`Blocks before ${from} are no longer stored.`)
  try {
    const blocks = drover.chains.followBlocks(chainId, { signal, onGap, ...(after !== undefined && { after }) })
    for await (const block of blocks) {
      print(block, () => `${block.number}  ${block.timestamp}  ${shorten(block.hash, style)}`)
    }
    return EXIT.ok
  } catch (error) {
    if (error instanceof Interrupted) return EXIT.interrupted
    throw error
  }
}

function pick({ after, limit }: { readonly after?: number; readonly limit: number }) {
  return { limit, ...(after !== undefined && { after }) }
}

function readChain({ args }: Command): number {
  const [text = ''] = args
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new UsageError('the chain id must be a whole number')
  return Number(text)
}

const fees: ServiceCommand = {
  name: 'fees <chainId>',
  description: 'show current gas prices for each speed, and the fee caps of signers',
  examples: ['drover chain fees 1'],
  async run({ drover, signal, style, print }, command) {
    const input = { params: { chainId: readChain(command) } }
    const answer = await drover.request('GET /v1/chains/{chainId}/fees', input, { signal })
    const { nextBaseFeePerGas, gasPrice, speeds, saidBy, maxTxFee, caps } = answer
    const offer = ({ maxFeePerGas, maxPriorityFeePerGas }: (typeof speeds)['slow']) =>
      maxFeePerGas === null ? null : `${formatGwei(maxFeePerGas)}, tip ${formatGwei(maxPriorityFeePerGas)}`
    print(answer, () =>
      presentFields(
        [
          ['next base fee', nextBaseFeePerGas === null ? 'none' : formatGwei(nextBaseFeePerGas)],
          ['gas price', formatGwei(gasPrice)],
          ['slow', offer(speeds.slow)],
          ['standard', offer(speeds.standard)],
          ['fast', offer(speeds.fast)],
          ['source', saidBy.join(', ') || 'the gasPrice setting'],
          ['max fee per transaction', maxTxFee === null ? 'none' : formatAmount(maxTxFee)],
          ...caps.map((cap) => [`caps of ${cap.address}`, presentCap(cap)] as const),
        ],
        style,
      ),
    )
    return undefined
  },
}

function presentCap(cap: { readonly maxFeePerGas: string | null; readonly maxTxFee: string | null }): string {
  return [
    ...(cap.maxFeePerGas === null ? [] : [`${formatGwei(cap.maxFeePerGas)} per gas`]),
    ...(cap.maxTxFee === null ? [] : [`${formatAmount(cap.maxTxFee)} per transaction`]),
  ].join(', ')
}

const listNodes: ServiceCommand = {
  name: 'list',
  description: 'list the running nodes of the service',
  examples: ['drover node list'],
  async run({ drover, signal, style, print }) {
    const items = await drover.nodes({ signal })
    print({ items }, () =>
      presentTable<DroverNode>(
        [
          { heading: 'NODE', isWhole: true, cell: ({ id, self }) => (self ? `${id} (this node)` : id) },
          { heading: 'MACHINE', cell: ({ address }) => address ?? '-' },
          { heading: 'LANES', align: 'right', cell: ({ lanes }) => String(lanes) },
          { heading: 'REACHES', cell: ({ chains }) => (chains === null ? '-' : chains.join(', ')) },
          { heading: 'UP FOR', align: 'right', cell: ({ startedAt }) => ageOf(startedAt) },
          { heading: 'HEARTBEAT', align: 'right', cell: ({ heartbeatAt }) => ageOf(heartbeatAt) },
        ],
        items,
        style,
      ),
    )
    return undefined
  },
}

function ageOf(at: string): string {
  return spellDuration(Date.now() - Date.parse(at))
}

export function addChainCommands(program: Command, context: CommandContext): void {
  const chain = program.command('chain').description('show chains, blocks and gas prices')
  for (const definition of [listChains, blocks, fees]) addServiceCommand(chain, context, definition)
  const node = program.command('node').description('show the nodes of the service')
  addServiceCommand(node, context, listNodes)
}
