import { describe, expect, test } from 'vitest'
import { allocated, attemptOf, refused } from '../../testing/core/sample-transactions.ts'
import type { FeeMarket, Fees } from '../fees/fees.ts'
import type { Attempt, InFlight } from '../transaction/transaction.ts'
import { isPriceRefused, planNext } from './plan-next.ts'
import { FAST, type Policy } from './policy.ts'

const GWEI = 10n ** 9n
const MARKET: FeeMarket = {
  baseFeePerGas: 10n * GWEI,
  gasPrice: 11n * GWEI,
  priorityFeePerGas: { slow: GWEI / 2n, standard: GWEI, fast: 2n * GWEI },
}
const UNDERPRICED = { code: 'underpriced', message: 'too cheap', reason: 'tip 0, minimum needed 1' }

function fees(max: bigint, tip: bigint): Fees {
  return { type: 'eip1559', maxFeePerGas: max * GWEI, maxPriorityFeePerGas: tip * GWEI }
}

function signed(offer: Fees, kind: Attempt['kind'] = 'original', number = 1): Attempt {
  return { ...attemptOf(number, kind), fees: offer }
}

/** Refused for its price by every node, and never held by any. */
function unheld(offer: Fees, change: Partial<ReturnType<typeof allocated>> = {}): InFlight {
  return allocated({ attempts: [signed(offer)], error: UNDERPRICED, refusals: 1, submitCount: 1, ...change })
}

function plan(tx: InFlight, { isPatient = false, policy = FAST, market = MARKET } = {}) {
  const newest = tx.attempts.at(-1)
  if (newest === undefined) throw new Error('it has bytes')
  return planNext(tx, newest, { market, policy, isPatient })
}

describe('refused for its price, and no node ever had it', () => {
  test('is priced by the market at once, and a fee field that is high enough does not grow', () => {
    expect(plan(unheld(fees(30n, 0n)))).toEqual({ type: 'replace', fees: fees(30n, 1n) })
    expect(plan(unheld(fees(5n, 3n)))).toEqual({ type: 'replace', fees: fees(21n, 3n) })
  })

  test('is raised step by step, at its usual pace, if the market says the price is right', () => {
    const tx = unheld(fees(80n, 8n))
    expect(plan(tx)).toEqual({ type: 'wait' })
    expect(plan(tx, { isPatient: true })).toEqual({ type: 'replace', fees: fees(90n, 9n) })
  })

  test('never passes the cap of policy', () => {
    const policy: Policy = { ...FAST, maxFeePerGasWei: 15n * GWEI }
    expect(plan(unheld(fees(12n, 0n)), { policy })).toEqual({ type: 'replace', fees: fees(15n, 1n) })
    // Nothing else could offer more either: there is no way to make.
    expect(plan(unheld(fees(15n, 1n), { refusals: 5 }), { policy })).toEqual({ type: 'wait' })
  })
})

describe('where the price is fixed at zero', () => {
  const zero = fees(0n, 0n)
  const free: FeeMarket = {
    baseFeePerGas: 0n,
    gasPrice: 0n,
    priorityFeePerGas: { slow: 0n, standard: 0n, fast: 0n },
    isFixed: true,
  }
  const held = (change: Partial<ReturnType<typeof allocated>>) =>
    allocated({ attempts: [signed(zero)], mayBeHeld: true, submitCount: 1, ...change })

  test('a speed-up has no higher price, and nothing else is raised', () => {
    expect(plan(held({ requestedReplacement: 'speed_up' }), { market: free })).toEqual({ type: 'no_higher_price' })
    expect(plan(held({}), { market: free, isPatient: true })).toEqual({ type: 'wait' })
  })

  test('a cancel offers zero, once', () => {
    const tx = held({ requestedReplacement: 'cancel' })
    expect(plan(tx, { market: free })).toEqual({ type: 'replace', fees: zero })
    const signedOnce = { ...tx, attempts: [signed(zero), signed(zero, 'cancel', 2)] }
    expect(plan(signedOnce, { market: free, isPatient: true })).toEqual({ type: 'wait' })
  })
})

describe("refused for the caller's own price", () => {
  const own = fees(50n, 0n)
  const asked = (change = {}) => unheld(own, { intent: { ...allocated().intent, fees: own }, ...change })

  test('is never raised, and makes way after three refusals in a row', () => {
    expect(plan(asked({ refusals: 2 }))).toEqual({ type: 'wait' })
    expect(plan(asked({ refusals: 3 }))).toEqual({
      type: 'make_way',
      message:
        'every RPC node refused its price of at most 50 gwei per gas with a tip of 0 gwei; the market price is at most 21 gwei per gas with a tip of 1 gwei',
      mayPass: false,
    })
  })

  test('may pass where the base fee alone is above it', () => {
    const cheap = fees(8n, 1n)
    const tx = unheld(cheap, { intent: { ...allocated().intent, fees: cheap }, refusals: 3 })
    expect(plan(tx)).toMatchObject({ type: 'make_way', mayPass: true })
  })

  test('stays where an empty transaction may offer no more either', () => {
    const policy: Policy = { ...FAST, maxFeePerGasWei: 8n * GWEI }
    const cheap = fees(8n, 1n)
    const tx = unheld(cheap, { intent: { ...allocated().intent, fees: cheap }, refusals: 3 })
    expect(plan(tx, { policy })).toEqual({ type: 'wait' })
    expect(plan(tx, { policy, isPatient: true })).toMatchObject({ type: 'above_cap' })
  })
})

describe('an empty transaction', () => {
  const refusal = { code: 'rejected', message: 'refused', mayPass: false }

  test('costs what the market asks where no node has the bytes, however dear those are', () => {
    expect(plan(unheld(fees(900n, 90n), { refusal }))).toEqual({ type: 'replace', fees: fees(21n, 1n) })
  })

  test('outbids them where a node may have them', () => {
    const tx = unheld(fees(80n, 8n), { refusal, mayBeHeld: true })
    expect(plan(tx)).toEqual({ type: 'replace', fees: fees(90n, 9n) })
  })

  test('that may not outbid them is priced by the market, for nodes that do not have them', () => {
    const policy: Policy = { ...FAST, maxFeePerGasWei: 85n * GWEI }
    const tx = unheld(fees(80n, 8n), { refusal, mayBeHeld: true })
    expect(plan(tx, { policy })).toEqual({ type: 'replace', fees: fees(21n, 1n) })
  })

  test('that was priced too low because a node did have them outbids the highest at once', () => {
    const attempts = [signed(fees(80n, 8n)), signed(fees(21n, 1n), 'cancel', 2)]
    const error = { code: 'replacement_underpriced', message: 'words' }
    const tx = unheld(fees(80n, 8n), { refusal, mayBeHeld: true, attempts, error })
    expect(isPriceRefused(tx)).toBe(true)
    expect(plan(tx)).toEqual({ type: 'replace', fees: fees(90n, 9n) })
  })
})

test('a rival that outbids is no price refusal', () => {
  expect(isPriceRefused(refused('replacement_underpriced'))).toBe(false)
  expect(isPriceRefused(refused('underpriced'))).toBe(true)
})
