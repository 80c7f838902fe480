import { describe, expect, test } from 'vitest'
import type { FeeMarket } from '../../core/fees/fees.ts'
import type { Hash } from '../../core/hex.ts'
import { type Policy, STABLE } from '../../core/lane/policy.ts'
import type { Intent } from '../../core/transaction/transaction.ts'
import { type CallOutcome, ChainUnavailable } from '../../ports/chain.ts'
import { hashOf, queued } from '../../testing/core/sample-transactions.ts'
import { createVerdicts } from '../follow/verdicts.ts'
import { prepareTransactions } from './prepare.ts'

const HEAD = { number: 7, hash: hashOf(7) }
const atHead = (head = HEAD, verdicts = createVerdicts()) => ({ head, verdicts })

const GWEI = 10n ** 9n
const MARKET: FeeMarket = {
  baseFeePerGas: 10n * GWEI,
  gasPrice: 11n * GWEI,
  priorityFeePerGas: { slow: 1n, standard: GWEI, fast: 2n * GWEI },
}

const ALONE = { predecessorsPending: false, chainMaxFeeWei: 10n ** 18n }

function createChain(outcomes: readonly CallOutcome[] | Error) {
  const asked: number[] = []
  const chain: Parameters<typeof prepareTransactions>[0] = {
    getFeeMarket: async () => MARKET,
    estimate: async (calls) => {
      asked.push(calls.length)
      if (outcomes instanceof Error) throw outcomes
      return outcomes
    },
  }
  return { chain, asked }
}

function intents(...changes: readonly Partial<Intent>[]) {
  const base = queued()
  return changes.map((change, index) => ({ ...base, id: `tx-${index}`, intent: { ...base.intent, ...change } }))
}

function prepare(outcomes: readonly CallOutcome[] | Error, changes: readonly Partial<Intent>[], over = {}) {
  const policy: Policy = { ...STABLE, ...over }
  return prepareTransactions(createChain(outcomes).chain, intents(...changes), { policy, ...ALONE, ...atHead() })
}

const OK: CallOutcome = { type: 'ok', gas: 50_000n }

describe('gas', () => {
  test('is estimated in one batch with a margin, or taken from the caller', async () => {
    const { chain, asked } = createChain([OK, OK])
    const list = intents({}, { gasLimit: 70_000n }, { gasLimit: 21_000n, simulate: false })
    const preparations = await prepareTransactions(chain, list, { policy: STABLE, ...ALONE, ...atHead() })
    expect(asked).toEqual([2])
    expect(preparations).toMatchObject([{ gasLimit: 60_000n }, { gasLimit: 70_000n }, { gasLimit: 21_000n }])
  })

  test('nothing to estimate asks nothing', async () => {
    const { chain, asked } = createChain([])
    const list = intents({ gasLimit: 21_000n, simulate: false })
    const context = { policy: STABLE, ...ALONE, ...atHead() }
    expect(await prepareTransactions(chain, list, context)).toMatchObject([{ type: 'ready' }])
    expect(asked).toEqual([])
  })
})

describe('what a simulation means', () => {
  const reverted: CallOutcome = { type: 'reverted', reason: 'Paused', data: null }

  test('a revert of the first in the queue is certain and ends only that one', async () => {
    const preparations = await prepare([reverted, OK], [{}, {}])
    expect(preparations).toMatchObject([{ type: 'rejected', error: { code: 'reverted' } }, { type: 'ready' }])
  })

  test('a revert ends it also where the caller named the gas', async () => {
    const preparations = await prepare([reverted], [{ gasLimit: 70_000n }])
    expect(preparations).toMatchObject([{ type: 'rejected', error: { code: 'reverted', reason: 'Paused' } }])
  })

  test('a revert behind others may be cured by them: it waits', async () => {
    const preparations = await prepare([OK, reverted], [{}, {}])
    expect(preparations[1]).toMatchObject({ type: 'deferred', subState: 'waiting_for_predecessor' })
  })

  test('a revert while earlier ones are not mined waits as well', async () => {
    const { chain } = createChain([reverted])
    const context = { policy: STABLE, ...ALONE, ...atHead(), predecessorsPending: true }
    expect(await prepareTransactions(chain, intents({}), context)).toMatchObject([{ type: 'deferred' }])
  })

  test('what is invalid at the latest state may be cured by earlier ones as well', async () => {
    const outOfGas: CallOutcome = { type: 'invalid', message: 'out of gas' }
    expect(await prepare([outOfGas, outOfGas], [{}, {}])).toMatchObject([
      { type: 'rejected', error: { code: 'invalid' } },
      { type: 'deferred', subState: 'waiting_for_predecessor', error: { code: 'invalid' } },
    ])
  })

  test.each([
    [{ type: 'insufficient_funds', message: 'x' }, 'deferred', 'insufficient_funds'],
    [{ type: 'invalid', message: 'x' }, 'rejected', 'invalid'],
    [{ type: 'unknown', message: 'x' }, 'deferred', 'not_simulated'],
  ] as const)('%o is %s', async (outcome, type, code) => {
    expect(await prepare([outcome], [{}])).toMatchObject([{ type, error: { code } }])
  })

  test('a node that does not answer defers all and ends none', async () => {
    const preparations = await prepare(new ChainUnavailable('down'), [{}, { gasLimit: 1n, simulate: false }])
    expect(preparations).toMatchObject([
      { type: 'deferred', subState: 'waiting_for_node', error: { code: 'chain_unavailable', reason: 'down' } },
      { type: 'deferred', subState: 'waiting_for_node' },
    ])
  })

  test('a call that the node will not run is deferred by itself', async () => {
    const preparations = await prepare([OK, { type: 'unknown', message: 'header not found' }, OK], [{}, {}, {}])
    expect(preparations).toMatchObject([
      { type: 'ready' },
      { type: 'deferred', subState: 'waiting_for_node', error: { reason: 'header not found' } },
      { type: 'ready' },
    ])
  })

  test('a bug in the adapter is not reported as an unreachable chain', async () => {
    await expect(prepare(new TypeError('x is undefined'), [{}])).rejects.toThrow(TypeError)
  })
})

describe('the price', () => {
  test('above the cap waits for a cheaper block', async () => {
    expect(await prepare([OK], [{}], { maxFeePerGasWei: 5n * GWEI })).toMatchObject([
      {
        type: 'deferred',
        subState: 'fee_above_cap',
        error: { limit: { source: 'signer_per_gas', perGas: '5000000000', enough: '22gwei' } },
      },
    ])
  })

  test('of the whole transaction above its cap waits, and says whose word it was and both figures', async () => {
    const market = { ...MARKET, saidBy: ['a.example', 'b.example'] }
    const chain = { getFeeMarket: async () => market, estimate: async () => [] }
    const intent = (gasLimit: bigint) => ({ gasLimit, simulate: false })
    const list = intents(intent(21_000n), intent(100_000n))
    const one = { policy: STABLE, ...ALONE, ...atHead(), chainMaxFeeWei: 50_000n * 11n * GWEI }
    const [small, large] = await prepareTransactions(chain, list, one)
    expect(small).toMatchObject({ type: 'ready' })
    // Others may be smaller, so that this one alone has to wait.
    expect(large).toMatchObject({
      type: 'deferred',
      subState: 'fee_above_cap',
      waitsFor: { of: 'market', perGasWei: (11n * GWEI) / 2n },
      error: {
        code: 'tx_fee_above_cap',
        limit: { source: 'chain', perGas: '5500000000', enough: '0.0022ether' },
        message:
          'the next block asks 11 gwei per gas (0.0011 ETH for 100000 gas, according to a.example and b.example), but the limit is 5.5 gwei per gas (0.00055 ETH per transaction, set by the chain setting maxTxFee)',
      },
    })
    // Nothing is small enough: it is the market.
    const all = await prepareTransactions(chain, list, { ...one, chainMaxFeeWei: 21_000n * 10n * GWEI })
    expect(all).toMatchObject([{ error: { code: 'fee_above_cap' } }, { error: { code: 'fee_above_cap' } }])
  })

  test('above the cap of one API key does not affect the others, however small their transactions', async () => {
    const chain = { getFeeMarket: async () => MARKET, estimate: async () => [] }
    const plain = { gasLimit: 21_000n, simulate: false }
    const list = intents({ ...plain, maxFeeWei: 1n }, plain)
    const context = { policy: STABLE, ...ALONE, ...atHead(), chainMaxFeeWei: 10n ** 18n }
    expect(await prepareTransactions(chain, list, context)).toMatchObject([
      { type: 'deferred', subState: 'fee_above_cap', error: { code: 'tx_fee_above_cap' } },
      { type: 'ready' },
    ])
  })

  test('that the caller asked for above the cap is refused, since no block makes it cheaper', async () => {
    const fees = { type: 'eip1559', maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 1n } as const
    expect(await prepare([OK], [{ fees }], { maxFeePerGasWei: 5n * GWEI })).toMatchObject([
      { type: 'rejected', error: { code: 'fee_above_cap' } },
    ])
  })

  test('that the caller offers below the base fee takes no nonce, since no block would take the bytes', async () => {
    const offer = (maxFeePerGas: bigint) => ({
      fees: { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: 1n } as const,
    })
    expect(await prepare([OK, OK], [offer(30n), offer(10n * GWEI)])).toMatchObject([
      {
        type: 'deferred',
        subState: 'fee_above_cap',
        error: { code: 'fee_below_base', limit: { source: 'request', perGas: '30', enough: '20gwei' } },
      },
      { type: 'ready' },
    ])
    expect(await prepare([OK], [{ fees: { type: 'legacy', gasPrice: 30n } }])).toMatchObject([{ type: 'deferred' }])
  })

  test('that can never be mined ends the transaction, so that it holds up nobody', async () => {
    const free = { fees: { type: 'legacy', gasPrice: 0n } as const }
    expect(await prepare([OK, OK], [free, {}])).toMatchObject([
      { type: 'rejected', error: { code: 'fee_never_mined', message: expect.stringContaining('base fee') } },
      { type: 'ready' },
    ])
  })

  test('that the caller named in part is completed from the market', async () => {
    const lone = { fees: { type: 'eip1559', maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: null } as const }
    expect(await prepare([OK], [lone])).toMatchObject([
      { type: 'ready', fees: { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: expect.any(BigInt) } },
    ])
  })
})

describe('a failure that was seen only at the latest block of a node that may be behind', () => {
  const REVERTED: CallOutcome = { type: 'reverted', reason: 'not yet', data: null, atLatest: true }
  const at = (number: number) => ({ number, hash: hashOf(number) })

  async function prepareAt(
    head: { number: number; hash: Hash } | null,
    verdicts = createVerdicts(),
    outcome = REVERTED,
  ) {
    const context = { policy: STABLE, ...ALONE, head, verdicts }
    const [preparation] = await prepareTransactions(createChain([outcome]).chain, intents({}), context)
    return preparation
  }

  test('ends nothing at once, nor when it is seen again at the same head', async () => {
    const verdicts = createVerdicts()
    for (let look = 0; look < 3; look++) {
      expect(await prepareAt(at(7), verdicts)).toMatchObject({
        type: 'deferred',
        subState: 'waiting_for_node',
        error: { code: 'not_simulated', reason: 'the call reverts: not yet' },
      })
    }
  })

  test('is final when the next head shows the same, and not when it shows another', async () => {
    const verdicts = createVerdicts()
    await prepareAt(at(7), verdicts)
    const other = await prepareAt(at(8), verdicts, { ...REVERTED, reason: 'paused' })
    expect(other).toMatchObject({ type: 'deferred' })
    expect(await prepareAt(at(9), verdicts, { ...REVERTED, reason: 'paused' })).toMatchObject({ type: 'rejected' })
  })

  test('is never final while no head is followed', async () => {
    const verdicts = createVerdicts()
    for (let look = 0; look < 3; look++) expect(await prepareAt(null, verdicts)).toMatchObject({ type: 'deferred' })
  })
})
