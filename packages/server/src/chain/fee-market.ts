/** What the chain asks at the moment, from `eth_feeHistory` where there is one and from the older calls where not. */
import type { FeeMarket, FeeModel } from '../core/fees.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { RpcPool } from './rpc/pool.ts'
import type { Read } from './rpc/pool-read.ts'
import { BadAnswer, getFields, parseQuantity, toQuantity } from './rpc-values.ts'

interface FeeHistory {
  readonly nextBaseFee: bigint
  /** Tips paid at the three percentiles, one row per block that had transactions. */
  readonly rewards: readonly (readonly [bigint, bigint, bigint])[]
}

const BLOCKS = 10
const PERCENTILES = [10, 50, 90] as const

export interface FeeSettings {
  /** No tip is priced below this. */
  readonly minPriorityFeeWei: bigint
  /** `legacy` leaves the base fee out, so that no transaction is priced by one; `eip1559` insists on it. */
  readonly feeModel: FeeModel
}

/** One batch; a second request only where the base fee is missing or zero, to tell a chain without one from one at zero. */
export async function readFeeMarket(pool: RpcPool, settings: FeeSettings): Promise<FeeMarket> {
  const { minPriorityFeeWei, feeModel } = settings
  if (feeModel === 'legacy') return await readLegacyMarket(pool, minPriorityFeeWei)
  const [history, tip, gasPrice] = await readFeeCalls(pool)
  const known = history !== null && history.nextBaseFee > 0n
  const baseFeePerGas = known ? history.nextBaseFee : await pool.read(latestBaseFee)
  if (baseFeePerGas === null && feeModel === 'eip1559')
    throw new ChainUnavailable('feeModel is eip1559, but blocks of this chain have no base fee; use auto or legacy')
  const priorityFeePerGas = pricePriority(history?.rewards ?? [], tip, minPriorityFeeWei)
  if (gasPrice === null && baseFeePerGas === null)
    return { baseFeePerGas, gasPrice: await pool.read(price('eth_gasPrice')), priorityFeePerGas }
  return { baseFeePerGas, gasPrice: gasPrice ?? (baseFeePerGas ?? 0n) + priorityFeePerGas.standard, priorityFeePerGas }
}

/** A node's gas price has the base fee in it, where there is one. */
async function readLegacyMarket(pool: RpcPool, minPriorityFeeWei: bigint): Promise<FeeMarket> {
  const gasPrice = await pool.read(price('eth_gasPrice'))
  return { baseFeePerGas: null, gasPrice, priorityFeePerGas: pricePriority([], null, minPriorityFeeWei) }
}

async function readFeeCalls(pool: RpcPool): Promise<readonly [FeeHistory | null, bigint | null, bigint | null]> {
  const history: Read<FeeHistory> = {
    method: 'eth_feeHistory',
    params: [toQuantity(BLOCKS), 'latest', PERCENTILES],
    optional: true,
    decode: parseFeeHistory,
  }
  const reads: readonly Read<FeeHistory | bigint>[] = [
    history,
    { ...price('eth_maxPriorityFeePerGas'), optional: true },
    price('eth_gasPrice'),
  ]
  const values = (await pool.readEach(reads)).map((reply) => (reply.type === 'value' ? reply.value : null))
  const [first, tip, gasPrice] = values
  return [
    typeof first === 'object' && first !== null ? first : null,
    typeof tip === 'bigint' ? tip : null,
    typeof gasPrice === 'bigint' ? gasPrice : null,
  ]
}

function price(method: string): Read<bigint> {
  return { method, params: [], decode: (result) => parseQuantity(result, method) }
}

const latestBaseFee: Read<bigint | null> = {
  method: 'eth_getBlockByNumber',
  params: ['latest', false],
  decode(result) {
    const { baseFeePerGas } = getFields(result, 'block')
    return baseFeePerGas === undefined || baseFeePerGas === null ? null : parseQuantity(baseFeePerGas, 'baseFeePerGas')
  },
}

function parseFeeHistory(result: unknown): FeeHistory {
  const fields = getFields(result, 'fee history')
  const { baseFeePerGas, gasUsedRatio, reward } = fields
  if (!Array.isArray(baseFeePerGas) || !Array.isArray(gasUsedRatio)) throw new BadAnswer('fee history is incomplete')
  const rows: readonly unknown[] = Array.isArray(reward) ? reward : []
  // Blocks without transactions report zero: that is nobody's price.
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

/** The median over the blocks, so that one odd block moves nothing. */
function pricePriority(
  rewards: FeeHistory['rewards'],
  tip: bigint | null,
  floor: bigint,
): FeeMarket['priorityFeePerGas'] {
  if (rewards.length === 0) {
    const suggested = max(tip ?? 0n, floor)
    return { slow: suggested, standard: suggested, fast: (suggested * 3n + 1n) / 2n }
  }
  const slow = max(median(rewards.map((row) => row[0])), floor)
  const standard = max(median(rewards.map((row) => row[1])), slow)
  return { slow, standard, fast: max(median(rewards.map((row) => row[2])), standard) }
}

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[sorted.length >> 1] ?? 0n
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
