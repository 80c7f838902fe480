/** What is asked of a node to find out what gas costs, and what its answers say. */
import { type FeeQuote, lowerMedian, nextBaseFee } from '../core/fees/fee-quotes.ts'
import type { Read, ReadReply } from './rpc/pool-read.ts'
import { BadAnswer, getFields, parseQuantity, toQuantity } from './rpc-values.ts'

interface FeeHistory {
  readonly nextBaseFee: bigint
  /** Tips paid at the three percentiles, one row per block that had transactions. */
  readonly rewards: readonly (readonly [bigint, bigint, bigint])[]
}

interface FeeHeader {
  readonly number: number
  readonly baseFee: bigint | null
  readonly gasUsed: bigint
  readonly gasLimit: bigint
}

export type FeeAnswers = FeeHistory | FeeHeader | bigint

const BLOCKS = 10
const PERCENTILES = [10, 50, 90] as const

const history: Read<FeeHistory> = {
  method: 'eth_feeHistory',
  params: [toQuantity(BLOCKS), 'latest', PERCENTILES],
  optional: true,
  decode: parseFeeHistory,
}

const latest: Read<FeeHeader> = { method: 'eth_getBlockByNumber', params: ['latest', false], decode: parseHeader }

export const feeReads: readonly Read<FeeAnswers>[] = [
  history,
  { ...price('eth_maxPriorityFeePerGas'), optional: true },
  price('eth_gasPrice'),
  latest,
]

/** Null: nothing to go by. */
export function toQuote(
  host: string,
  replies: readonly ReadReply<FeeAnswers>[],
): (FeeQuote & { readonly head: number }) | null {
  const values = replies.map((reply) => (reply.type === 'value' ? reply.value : null))
  const paid = values.find((value) => isHistory(value)) ?? null
  const header = values.find((value) => isHeader(value)) ?? null
  const [, suggestedTip, gasPrice] = values.map((value) => (typeof value === 'bigint' ? value : null))
  if (paid === null && header === null && gasPrice === null) return null
  return {
    host,
    head: header?.number ?? -1,
    baseFeePerGas: findBaseFee(paid, header),
    paidTips: paid === null || paid.rewards.length === 0 ? null : takeMedians(paid.rewards),
    suggestedTip: suggestedTip ?? null,
    gasPrice: gasPrice ?? null,
  }
}

/** The header decides. The node's value for the next block counts if it is within what one block can change. */
function findBaseFee(paid: FeeHistory | null, header: FeeHeader | null): FeeQuote['baseFeePerGas'] {
  const said = paid?.nextBaseFee ?? null
  // Zero there can also mean that blocks have none.
  if (header === null) return said === null || said === 0n ? null : said
  const { baseFee, gasUsed, gasLimit } = header
  if (baseFee === null) return 'none'
  const isNear = said !== null && said * 4n >= baseFee * 3n && said * 4n <= baseFee * 5n
  return isNear ? said : nextBaseFee({ baseFee, gasUsed, gasLimit })
}

/** The median over the blocks, so that one odd block moves nothing. */
function takeMedians(rewards: FeeHistory['rewards']): NonNullable<FeeQuote['paidTips']> {
  const at = (place: 0 | 1 | 2) => lowerMedian(rewards.map((row) => row[place])) ?? 0n
  return { slow: at(0), standard: at(1), fast: at(2) }
}

function isHistory(value: FeeAnswers | null): value is FeeHistory {
  return typeof value === 'object' && value !== null && 'rewards' in value
}

function isHeader(value: FeeAnswers | null): value is FeeHeader {
  return typeof value === 'object' && value !== null && 'gasUsed' in value
}

function price(method: string): Read<bigint> {
  return { method, params: [], decode: (result) => parseQuantity(result, method) }
}

function parseHeader(result: unknown): FeeHeader {
  const fields = getFields(result, 'block')
  const optional = (name: 'baseFeePerGas' | 'gasUsed' | 'gasLimit' | 'number') =>
    fields[name] === undefined || fields[name] === null ? null : parseQuantity(fields[name], name)
  return {
    number: Number(optional('number') ?? -1n),
    baseFee: optional('baseFeePerGas'),
    gasUsed: optional('gasUsed') ?? 0n,
    gasLimit: optional('gasLimit') ?? 0n,
  }
}

function parseFeeHistory(result: unknown): FeeHistory {
  const fields = getFields(result, 'fee history')
  const { baseFeePerGas, gasUsedRatio, reward } = fields
  if (!Array.isArray(baseFeePerGas) || !Array.isArray(gasUsedRatio)) throw new BadAnswer('fee history is incomplete')
  const rows: readonly unknown[] = Array.isArray(reward) ? reward : []
  // Blocks without transactions report zero, which is not a price anyone paid.
  const used = rows.filter((_, index) => Number(gasUsedRatio[index]) > 0)
  return {
    // The list is one longer than the blocks asked for: its last entry is the next block's.
    nextBaseFee: baseFeePerGas.length === 0 ? 0n : parseQuantity(baseFeePerGas.at(-1), 'baseFeePerGas'),
    rewards: used.map(parseRewards),
  }
}

function parseRewards(row: unknown): readonly [bigint, bigint, bigint] {
  if (!Array.isArray(row)) throw new BadAnswer('fee history has no rewards')
  const [slow, standard, fast] = row.map((entry: unknown) => parseQuantity(entry, 'reward'))
  if (slow === undefined || standard === undefined || fast === undefined)
    throw new BadAnswer('fee history is incomplete')
  return [slow, standard, fast]
}
