/** `drover signer compare`: after a restore, what the chain has of a signer and the database forgot. */
import type { Lane, Transaction } from '@drover/client'
import { type Provider, ProviderRpcError } from '@drover/client/eip1193'
import type { Command } from 'commander'
import { EXIT } from '../exit-code.ts'
import { readChainId } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { type Session, UsageError } from '../service/service-session.ts'
import { type Block, type ChainReads, findSent } from './find-sent.ts'
import { type Comparison, matchSent } from './match-sent.ts'
import { presentComparison } from './present-comparison.ts'

interface CompareOptions {
  readonly chainId?: number
  readonly cancelSent?: boolean
  readonly reason?: string
}

export const compareCommand: ServiceCommand = {
  name: 'compare <address>',
  description:
    'after a restore: find what the chain has of a signer and the database forgot, and what of it is still queued',
  examples: [
    'drover signer compare 0xf39F…',
    'drover signer compare 0xf39F… --cancel-sent --reason "sent before the restore"',
  ],
  configure(command: Command) {
    command
      .option('--chain-id <id>', 'the chain; optional if the signer is on only one', readChainId)
      .option('--cancel-sent', 'cancel the queued transactions that the chain has already; the signer must be paused')
      .option('--reason <text>', 'why; stored in the history, with the hash; needed with --cancel-sent')
  },
  async run(session, command) {
    const { chainId, cancelSent = false, reason } = command.opts<CompareOptions>()
    if (cancelSent && reason === undefined) throw new UsageError('--cancel-sent needs a --reason')
    const lane = await findLane(session, command.args[0] ?? '', chainId)
    // A signer that goes on assigning nonces would make the comparison wrong while it is made.
    if (cancelSent && !lane.paused) throw new UsageError('pause the signer first: drover signer pause <address>')
    const compared = await compare(session, lane)
    const cancelled: string[] = []
    if (cancelSent)
      for (const match of compared.matches)
        if (match.queued !== null && match.doubt === null) {
          await cancel(session, match.queued.id, `${reason}: mined as ${match.sent.hash}`)
          cancelled.push(match.queued.id)
        }
    const result = { ...compared, cancelled }
    session.print(toJson(result), () => presentComparison(result, session.style))
    return compared.notFound.length > 0 ? EXIT.failure : EXIT.ok
  },
}

async function cancel({ drover, signal }: Session, id: string, reason: string): Promise<void> {
  await drover.request('POST /v1/transactions/{id}/cancel', { params: { id }, body: { reason } }, { signal })
}

async function findLane({ drover, signal }: Session, address: string, chainId: number | undefined): Promise<Lane> {
  const { lanes } = await drover.signers.get(address, { signal })
  const [lane, other] = lanes.filter((each) => chainId === undefined || each.chainId === chainId)
  if (lane === undefined) throw new UsageError(`the signer is not on chain ${chainId}`)
  if (other !== undefined) throw new UsageError('the signer is on several chains: say which with --chain-id')
  return lane
}

async function compare(session: Session, lane: Lane): Promise<Omit<Comparison, 'cancelled'>> {
  const { address, chainId, nextNonce } = lane
  const queued = await listQueued(session, lane)
  const chain = readChain(session, session.rpc(chainId), address)
  // A signer without a cursor has sent nothing that this database knows of: what is queued tells how far to look.
  const since = nextNonce === null ? Math.min(...queued.map(({ createdAt }) => Date.parse(createdAt))) : null
  const looksBack = nextNonce !== null || queued.length > 0
  const onProgress = (height: number) => {
    if (!session.json && session.terminal.stderr.isTTY) session.note(`read back to block ${height}`)
  }
  const sent = looksBack ? await findSent(chain, { address, fromNonce: nextNonce, since, onProgress }) : []
  const seen = new Set(sent.map(({ nonce }) => nonce))
  const count = await chain.countAt(await chain.readHead())
  const expected = nextNonce === null || count === null ? [] : range(nextNonce, count)
  const notFound = expected.filter((nonce) => !seen.has(nonce))
  return { chainId, address, nextNonce, matches: matchSent(sent, queued), notFound }
}

const range = (from: number, to: number) => Array.from({ length: Math.max(to - from, 0) }, (_, place) => from + place)

async function listQueued({ drover, signal }: Session, { address, chainId }: Lane): Promise<readonly Transaction[]> {
  const filter = { from: address, chainId, state: 'QUEUED' } as const
  const found: Transaction[] = []
  for await (const { snapshot } of drover.transactions.list(filter, { order: 'asc', pageSize: 200, signal }))
    found.push(snapshot)
  return found
}

function readChain({ signal }: Session, provider: Provider, address: string): ChainReads {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    try {
      return await provider.request({ method, params }, { signal })
    } catch (error) {
      if (!(error instanceof ProviderRpcError)) throw error
      throw new UsageError(`${method} is not answered: ${error.message}`)
    }
  }
  return {
    readHead: async () => Number(await ask('eth_blockNumber', [])),
    readBlock: async (height) => toBlock(await ask('eth_getBlockByNumber', [toHex(height), true])),
    async countAt(height) {
      const params = [address, toHex(height)]
      const answer = await provider
        .request({ method: 'eth_getTransactionCount', params }, { signal })
        .catch((error) => {
          // Most nodes keep the state of the last 128 blocks only.
          if (error instanceof ProviderRpcError) return null
          throw error
        })
      return answer === null ? null : Number(answer)
    },
  }
}

const toHex = (height: number) => `0x${height.toString(16)}`

interface RpcTransaction {
  readonly from: string
  readonly to: string | null
  readonly nonce: string
  readonly hash: string
  readonly value: string
  readonly input: string
}

function toBlock(answer: unknown): Block | null {
  if (answer === null) return null
  const block = answer as { number: string; timestamp: string; transactions: readonly RpcTransaction[] }
  return {
    time: Number(block.timestamp) * 1_000,
    transactions: block.transactions.map(({ from, to, nonce, hash, value, input }) => ({
      ...{ from, to, hash, data: input },
      ...{ nonce: Number(nonce), value: BigInt(value).toString(), blockNumber: Number(block.number) },
    })),
  }
}

function toJson({ matches, ...rest }: Comparison): object {
  const items = matches.map(({ sent, queued, doubt }) => ({ ...sent, transactionId: queued?.id ?? null, doubt }))
  return { ...rest, items }
}
