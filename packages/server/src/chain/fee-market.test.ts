import { describe, expect, test } from 'vitest'
import { ChainUnavailable } from '../ports/chain.ts'
import { createFakeEndpoint } from '../testing/chain/fake-endpoint.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createFeeMarketReader, type FeeSettings } from './fee-market.ts'
import { createRpcPool } from './rpc/pool.ts'
import type { RpcReply } from './rpc/read-reply.ts'

const GWEI = 10n ** 9n
const AUTO: FeeSettings = { minPriorityFeeWei: 1n, feeModel: 'auto', fixedPriceWei: null }
const hex = (value: bigint) => `0x${value.toString(16)}`
const MISSING: RpcReply = {
  type: 'error',
  error: { code: -32601, message: 'the method does not exist', data: null, httpStatus: 200 },
}

/** A node that answers from a table; what is not in it does not exist there. It can be changed, or never answer. */
interface FakeNode {
  table: Readonly<Record<string, unknown>>
  isSilent?: boolean
}

function openNodes(nodes: readonly FakeNode[], settings: FeeSettings = AUTO) {
  const asked: string[][] = []
  const endpoints = nodes.map((node, index) =>
    createFakeEndpoint({
      name: index === 0 ? 'node.example' : `node${index}.example`,
      async send(requests) {
        asked.push(requests.map(({ method }) => method))
        if (node.isSilent === true) return await new Promise(() => {})
        return requests.map(({ method }) =>
          method in node.table ? { type: 'result', result: node.table[method] } : MISSING,
        )
      },
    }),
  )
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const pool = createRpcPool(endpoints)
  const read = createFeeMarketReader({ chainId: 1, pool, clock, telemetry, settings })
  return { read, asked, clock, telemetry }
}

function open(table: Readonly<Record<string, unknown>>, settings: FeeSettings = AUTO) {
  return openNodes([{ table }], settings)
}

const history = (rewards: readonly (readonly bigint[])[], ratios: readonly number[], next: bigint) => ({
  oldestBlock: '0x1',
  baseFeePerGas: [...ratios.map(() => hex(7n * GWEI)), hex(next)],
  gasUsedRatio: ratios,
  reward: rewards.map((row) => row.map(hex)),
})
const older = { eth_maxPriorityFeePerGas: hex(2n * GWEI), eth_gasPrice: hex(9n * GWEI) }

describe('a chain with a fee market', () => {
  test('is priced by the next base fee and the median tip of blocks with transactions', async () => {
    const rows = [
      [1n, 5n, 9n],
      [0n, 0n, 0n],
      [3n, 4n, 8n],
      [2n, 900n, 90_000n],
    ].map((row) => row.map((tip) => tip * GWEI))
    const { read, asked } = open({ ...older, eth_feeHistory: history(rows, [0.5, 0, 0.9, 1], 8n * GWEI) })
    expect(await read()).toEqual({
      baseFeePerGas: 8n * GWEI,
      gasPrice: 9n * GWEI,
      priorityFeePerGas: { slow: 2n * GWEI, standard: 5n * GWEI, fast: 9n * GWEI },
      saidBy: ['node.example'],
    })
    expect(asked).toEqual([['eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_gasPrice', 'eth_getBlockByNumber']])
  })

  test('without traffic is priced by the suggestion, and never below the floor', async () => {
    const quiet = history([[0n, 0n, 0n]], [0], GWEI)
    const { read } = open({ ...older, eth_feeHistory: quiet })
    expect((await read()).priorityFeePerGas).toEqual({
      slow: 2n * GWEI,
      standard: 2n * GWEI,
      fast: 3n * GWEI,
    })
    const free = open({ eth_feeHistory: quiet, eth_gasPrice: hex(GWEI) }, { ...AUTO, minPriorityFeeWei: 5n })
    expect((await free.read()).priorityFeePerGas).toEqual({
      slow: 5n,
      standard: 5n,
      fast: 8n,
    })
    const zero = open({ ...older, eth_feeHistory: history([[0n, 0n, 0n]], [1], GWEI) })
    expect((await zero.read()).priorityFeePerGas).toEqual({ slow: 1n, standard: 1n, fast: 1n })
  })

  test('whose node has no history takes the base fee of the latest block', async () => {
    const { read } = open({ ...older, eth_getBlockByNumber: { baseFeePerGas: hex(6n * GWEI) } })
    expect(await read()).toMatchObject({ baseFeePerGas: 6n * GWEI, gasPrice: 9n * GWEI })
  })

  test('whose base fee is zero still has one', async () => {
    const table = { ...older, eth_feeHistory: history([], [], 0n), eth_getBlockByNumber: { baseFeePerGas: '0x0' } }
    expect((await open(table).read()).baseFeePerGas).toBe(0n)
  })
})

describe('a chain without base fees', () => {
  test('has a gas price alone', async () => {
    const { read } = open({ eth_gasPrice: hex(4n * GWEI), eth_getBlockByNumber: { number: '0x1' } })
    expect(await read()).toMatchObject({ baseFeePerGas: null, gasPrice: 4n * GWEI })
  })

  test('and without a gas price is unavailable', async () => {
    const { read } = open({ eth_getBlockByNumber: { number: '0x1' } })
    await expect(read()).rejects.toThrow(ChainUnavailable)
  })
})

describe('a fee model that was chosen', () => {
  const both = { ...older, eth_feeHistory: history([], [], 8n * GWEI) }

  test('as legacy has no base fee where blocks have one', async () => {
    const market = await open(both, { ...AUTO, feeModel: 'legacy' }).read()
    expect(market).toMatchObject({ baseFeePerGas: null, gasPrice: 9n * GWEI })
  })

  test('as eip1559 is the same as the one that is found, where blocks have a base fee', async () => {
    const chosen = await open(both, { ...AUTO, feeModel: 'eip1559' }).read()
    expect(chosen).toEqual(await open(both).read())
    expect(chosen.baseFeePerGas).toBe(8n * GWEI)
  })

  test('as eip1559 is refused by name where they have none', async () => {
    const table = { eth_gasPrice: hex(4n * GWEI), eth_getBlockByNumber: { number: '0x1' } }
    const refused = open(table, { ...AUTO, feeModel: 'eip1559' }).read()
    await expect(refused).rejects.toThrow(/^feeModel is eip1559, but blocks .* have no base fee/)
    await expect(refused).rejects.toBeInstanceOf(ChainUnavailable)
  })
})

test.each([
  ['no lists', {}],
  ['rewards of the wrong length', { baseFeePerGas: ['0x1', '0x1'], gasUsedRatio: [1], reward: [['0x1']] }],
  ['words for numbers', { baseFeePerGas: ['0x1', 'high'], gasUsedRatio: [1], reward: [] }],
])('a history with %s is not used', async (_, eth_feeHistory) => {
  const { read } = open({ ...older, eth_feeHistory, eth_getBlockByNumber: { baseFeePerGas: hex(3n) } })
  expect(await read()).toMatchObject({ baseFeePerGas: 3n, priorityFeePerGas: { slow: 2n * GWEI } })
})

describe('a node that lies', () => {
  const rows = (tip: bigint) => Array.from({ length: 4 }, () => [tip, tip, tip])
  const block = (number: number, base = GWEI) => ({
    number: hex(BigInt(number)),
    baseFeePerGas: hex(base),
    gasUsed: '0x64',
    gasLimit: '0xc8',
  })
  const honest = (number = 1) => ({
    eth_feeHistory: history(rows(GWEI), [1, 1, 1, 1], GWEI),
    eth_maxPriorityFeePerGas: hex(GWEI),
    eth_gasPrice: hex(2n * GWEI),
    eth_getBlockByNumber: block(number),
  })
  const HUGE = 10n ** 17n
  const LIES = [
    ['eth_feeHistory', history(rows(HUGE), [1, 1, 1, 1], HUGE)],
    ['eth_maxPriorityFeePerGas', hex(HUGE)],
    ['eth_gasPrice', hex(HUGE)],
  ] as const
  const FAIR = { baseFeePerGas: GWEI, gasPrice: 2n * GWEI, priorityFeePerGas: { slow: GWEI, standard: GWEI } }

  test.each(LIES)('about %s is not believed, and is named', async (method, answer) => {
    const { read, telemetry } = open({ ...honest(), [method]: answer })
    const market = await read()
    expect(market).toMatchObject(FAIR)
    expect(market.priorityFeePerGas.fast).toBeLessThanOrEqual(2n * GWEI)
    const warning = telemetry.logs.find(({ level }) => level === 'warn')
    expect(warning?.fields).toMatchObject({ host: 'node.example', source: method })
    await read()
    expect(telemetry.logs.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  test.each([0, 1])('about everything moves nothing where another is honest (%i lies)', async (place) => {
    const liar = { ...honest(), ...Object.fromEntries(LIES), eth_getBlockByNumber: block(1, HUGE) }
    const nodes = [{ table: honest() }, { table: honest() }]
    nodes[place] = { table: liar }
    expect(await openNodes(nodes).read()).toMatchObject(FAIR)
  })

  test('alone and about everything can at most double the price per block', async () => {
    const tip = 10n * GWEI
    const paid = { eth_feeHistory: history(rows(tip), [1, 1, 1, 1], GWEI), eth_maxPriorityFeePerGas: hex(tip) }
    const node: FakeNode = { table: { ...honest(), ...paid, eth_gasPrice: hex(11n * GWEI) } }
    const { read, clock } = openNodes([node])
    expect((await read()).priorityFeePerGas.fast).toBe(tip)
    const liar = (number: number) => ({ ...honest(), ...Object.fromEntries(LIES), eth_getBlockByNumber: block(number) })
    node.table = liar(2)
    expect((await read()).priorityFeePerGas).toEqual({ slow: 2n * tip, standard: 2n * tip, fast: 2n * tip })
    expect((await read()).priorityFeePerGas.fast).toBe(2n * tip)
    // A thousand blocks within a second are not believed either.
    node.table = liar(1_002)
    await clock.advance(500)
    expect((await read()).priorityFeePerGas.fast).toBe(8n * tip)
  })
})

test('a silent node is not waited for once another has answered', async () => {
  const block = { number: '0x1', baseFeePerGas: hex(GWEI) }
  const two = openNodes([{ table: {}, isSilent: true }, { table: { ...older, eth_getBlockByNumber: block } }])
  const answer = two.read()
  await two.clock.advance(2_000)
  expect(await answer).toMatchObject({ baseFeePerGas: GWEI, saidBy: ['node1.example'] })
})

describe('a chain where gas is free', () => {
  const block = { number: '0x1', baseFeePerGas: '0x0' }
  const free = { eth_gasPrice: '0x0', eth_maxPriorityFeePerGas: '0x0', eth_getBlockByNumber: block }

  test.each([
    ['without traffic', free],
    ['with traffic', { ...free, eth_feeHistory: history([[0n, 0n, 0n]], [1], 0n) }],
    ['and no other call', { eth_gasPrice: '0x0', eth_getBlockByNumber: block }],
  ])('%s has no floor', async (_, table) => {
    expect(await open(table).read()).toMatchObject({
      baseFeePerGas: 0n,
      gasPrice: 0n,
      priorityFeePerGas: { slow: 0n, standard: 0n, fast: 0n },
    })
  })

  test('is not one whose node asks for a price', async () => {
    expect((await open({ ...free, eth_gasPrice: '0x7' }).read()).priorityFeePerGas.slow).toBe(1n)
  })
})

test('a floor holds whatever nodes say', async () => {
  const floor = { minGasPriceWei: null, minPriorityFeeWei: 30n * GWEI }
  const { read } = open(
    { ...older, eth_getBlockByNumber: { number: '0x1', baseFeePerGas: hex(GWEI) } },
    { ...AUTO, floor },
  )
  const { priorityFeePerGas, gasPrice, baseFeePerGas } = await read()
  expect(priorityFeePerGas).toEqual({ slow: 30n * GWEI, standard: 30n * GWEI, fast: 30n * GWEI })
  expect(gasPrice).toBe((baseFeePerGas ?? 0n) + 30n * GWEI)
})

describe('a fixed price', () => {
  const block = (base?: string) => ({ number: '0x1', ...(base && { baseFeePerGas: base }) })
  const fixed = (wei: bigint, feeModel: FeeSettings['feeModel']) => ({ ...AUTO, feeModel, fixedPriceWei: wei })

  test.each([0n, 1_000n])('of %i is what is offered, whatever nodes say', async (wei) => {
    const tips = { slow: wei, standard: wei, fast: wei }
    const busy = { ...older, eth_getBlockByNumber: block(hex(GWEI)) }
    const found = { baseFeePerGas: 0n, gasPrice: wei, priorityFeePerGas: tips, isFixed: true }
    expect(await open(busy, fixed(wei, 'auto')).read()).toEqual(found)
    const { read, asked } = open({}, fixed(wei, 'legacy'))
    expect(await read()).toEqual({ ...found, baseFeePerGas: null })
    expect(asked).toEqual([])
    expect(await open({}, fixed(wei, 'eip1559')).read()).toEqual(found)
  })
})
