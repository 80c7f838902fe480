import { describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../ports/chain.ts'
import { type FeeSettings, readFeeMarket } from './fee-market.ts'
import { createFakeEndpoint } from './rpc/fake-endpoint.suite.ts'
import { createRpcPool } from './rpc/pool.ts'
import type { RpcReply } from './rpc/read-reply.ts'

const GWEI = 10n ** 9n
const AUTO: FeeSettings = { minPriorityFeeWei: 1n, feeModel: 'auto' }
const hex = (value: bigint) => `0x${value.toString(16)}`
const MISSING: RpcReply = {
  type: 'error',
  error: { code: -32601, message: 'the method does not exist', data: null, httpStatus: 200 },
}

/** A pool over one node that answers from a table; what is not in it does not exist there. */
function open(table: Readonly<Record<string, unknown>>) {
  const asked: string[][] = []
  const endpoint = createFakeEndpoint({
    async send(requests) {
      asked.push(requests.map(({ method }) => method))
      return requests.map(({ method }) => (method in table ? { type: 'result', result: table[method] } : MISSING))
    },
  })
  return { pool: createRpcPool([endpoint]), asked }
}

const history = (rewards: readonly (readonly bigint[])[], ratios: readonly number[], next: bigint) => ({
  oldestBlock: '0x1',
  baseFeePerGas: [...ratios.map(() => hex(7n * GWEI)), hex(next)],
  gasUsedRatio: ratios,
  reward: rewards.map((row) => row.map(hex)),
})
const older = { eth_maxPriorityFeePerGas: hex(2n * GWEI), eth_gasPrice: hex(9n * GWEI) }

describe('a chain with a fee market', () => {
  test('is priced by the next base fee and the median of what blocks with transactions paid', async () => {
    const rows = [
      [1n, 5n, 9n],
      [0n, 0n, 0n],
      [3n, 4n, 8n],
      [2n, 900n, 90_000n],
    ].map((row) => row.map((tip) => tip * GWEI))
    const { pool, asked } = open({ ...older, eth_feeHistory: history(rows, [0.5, 0, 0.9, 1], 8n * GWEI) })
    expect(await readFeeMarket(pool, AUTO)).toEqual({
      baseFeePerGas: 8n * GWEI,
      gasPrice: 9n * GWEI,
      priorityFeePerGas: { slow: 2n * GWEI, standard: 5n * GWEI, fast: 9n * GWEI },
    })
    expect(asked).toEqual([['eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_gasPrice']])
  })

  test('without traffic is priced by the suggestion, and never below the floor', async () => {
    const quiet = history([[0n, 0n, 0n]], [0], GWEI)
    const { pool } = open({ ...older, eth_feeHistory: quiet })
    expect((await readFeeMarket(pool, AUTO)).priorityFeePerGas).toEqual({
      slow: 2n * GWEI,
      standard: 2n * GWEI,
      fast: 3n * GWEI,
    })
    const free = open({ eth_feeHistory: quiet, eth_gasPrice: hex(GWEI) })
    expect((await readFeeMarket(free.pool, { ...AUTO, minPriorityFeeWei: 5n })).priorityFeePerGas).toEqual({
      slow: 5n,
      standard: 5n,
      fast: 8n,
    })
    const zero = open({ ...older, eth_feeHistory: history([[0n, 0n, 0n]], [1], GWEI) })
    expect((await readFeeMarket(zero.pool, AUTO)).priorityFeePerGas).toEqual({ slow: 1n, standard: 1n, fast: 1n })
  })

  test('whose node has no history takes the base fee of the latest block', async () => {
    const { pool } = open({ ...older, eth_getBlockByNumber: { baseFeePerGas: hex(6n * GWEI) } })
    expect(await readFeeMarket(pool, AUTO)).toMatchObject({ baseFeePerGas: 6n * GWEI, gasPrice: 9n * GWEI })
  })

  test('whose base fee is zero still has one', async () => {
    const table = { ...older, eth_feeHistory: history([], [], 0n), eth_getBlockByNumber: { baseFeePerGas: '0x0' } }
    expect((await readFeeMarket(open(table).pool, AUTO)).baseFeePerGas).toBe(0n)
  })
})

describe('a chain without base fees', () => {
  test('has a gas price alone', async () => {
    const { pool } = open({ eth_gasPrice: hex(4n * GWEI), eth_getBlockByNumber: { number: '0x1' } })
    expect(await readFeeMarket(pool, AUTO)).toMatchObject({ baseFeePerGas: null, gasPrice: 4n * GWEI })
  })

  test('and without a gas price is unavailable', async () => {
    const { pool } = open({ eth_getBlockByNumber: { number: '0x1' } })
    await expect(readFeeMarket(pool, AUTO)).rejects.toThrow(ChainUnavailable)
  })
})

describe('a fee model that was chosen', () => {
  const both = { ...older, eth_feeHistory: history([], [], 8n * GWEI) }

  test('as legacy has no base fee where blocks have one, and asks for nothing but the price', async () => {
    const { pool, asked } = open(both)
    const market = await readFeeMarket(pool, { ...AUTO, feeModel: 'legacy' })
    expect(market).toMatchObject({ baseFeePerGas: null, gasPrice: 9n * GWEI })
    expect(asked).toEqual([['eth_gasPrice']])
  })

  test('as eip1559 is the same as the one that is found, where blocks have a base fee', async () => {
    const chosen = await readFeeMarket(open(both).pool, { ...AUTO, feeModel: 'eip1559' })
    expect(chosen).toEqual(await readFeeMarket(open(both).pool, AUTO))
    expect(chosen.baseFeePerGas).toBe(8n * GWEI)
  })

  test('as eip1559 is refused by name where they have none', async () => {
    const { pool } = open({ eth_gasPrice: hex(4n * GWEI), eth_getBlockByNumber: { number: '0x1' } })
    const refused = readFeeMarket(pool, { ...AUTO, feeModel: 'eip1559' })
    await expect(refused).rejects.toThrow(/^feeModel is eip1559, but blocks .* have no base fee/)
    await expect(refused).rejects.toBeInstanceOf(ChainUnavailable)
  })
})

test.each([
  ['no lists', {}],
  ['rewards of the wrong length', { baseFeePerGas: ['0x1', '0x1'], gasUsedRatio: [1], reward: [['0x1']] }],
  ['words for numbers', { baseFeePerGas: ['0x1', 'high'], gasUsedRatio: [1], reward: [] }],
])('a history with %s is not used', async (_, eth_feeHistory) => {
  const { pool } = open({ ...older, eth_feeHistory, eth_getBlockByNumber: { baseFeePerGas: hex(3n) } })
  expect(await readFeeMarket(pool, AUTO)).toMatchObject({ baseFeePerGas: 3n, priorityFeePerGas: { slow: 2n * GWEI } })
})
