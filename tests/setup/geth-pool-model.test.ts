/** The model of geth's pool against geth's documented rules. */
import { describe, expect, test } from 'vitest'
import { createGethPool, type GethPool, type PoolLimits } from './geth-pool-model.ts'

const SMALL: PoolLimits = { globalSlots: 8, accountSlots: 2, globalQueue: 4, accountQueue: 2 }

const tx = (from: string, nonce: number, tip = 1n) => ({ hash: `${from}-${nonce}-${tip}`, from, nonce, tip })
const addMany = (pool: GethPool, from: string, nonces: readonly number[]) =>
  nonces.map((nonce) => pool.add(tx(from, nonce))?.message ?? null)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('what can be mined', () => {
  test('follows the nonce of the account without a gap; only that counts as pending', () => {
    const pool = createGethPool(SMALL)
    addMany(pool, 'a', [0, 1, 3])
    expect(pool.pendingCount('a')).toBe(2)
    expect(pool.queued().map(({ nonce }) => nonce)).toEqual([3])
    pool.add(tx('a', 2))
    expect(pool.pendingCount('a')).toBe(4)
  })

  test('is gone once mined, and its nonce is then too low', () => {
    const pool = createGethPool(SMALL)
    addMany(pool, 'a', [0, 1])
    pool.setCount('a', 1)
    expect(pool.pending().map(({ nonce }) => nonce)).toEqual([1])
    expect(pool.add(tx('a', 0))).toEqual({ message: 'nonce too low', isTemporary: false })
    expect(pool.add(tx('a', 1))).toEqual({ message: 'already known', isTemporary: false })
  })
})

describe('limits', () => {
  test('one account may use all slots while no other needs them', () => {
    const pool = createGethPool(SMALL)
    addMany(pool, 'a', range(0, 8))
    expect(pool.pendingCount('a')).toBe(8)
  })

  test('the account with the most loses its highest nonces, but not its guaranteed ones', () => {
    const pool = createGethPool(SMALL)
    addMany(pool, 'a', range(0, 8))
    addMany(pool, 'b', range(0, 4))
    expect(pool.pending()).toHaveLength(8)
    expect(pool.pendingCount('a')).toBe(4)
    expect(pool.pendingCount('b')).toBe(4)
  })

  test('the queue is bounded per account and in total', () => {
    const pool = createGethPool(SMALL)
    addMany(pool, 'a', [5, 6, 7])
    expect(pool.queued().map(({ nonce }) => nonce)).toEqual([5, 6])
    addMany(pool, 'b', [5, 6])
    addMany(pool, 'c', [5, 6])
    expect(pool.queued()).toHaveLength(4)
  })

  test('a full pool accepts only what pays more than the cheapest, which it drops', () => {
    const pool = createGethPool({ globalSlots: 2, accountSlots: 2, globalQueue: 0, accountQueue: 2 })
    addMany(pool, 'a', [0, 1])
    expect(pool.add(tx('b', 0))).toEqual({ message: 'transaction underpriced', isTemporary: true })
    const refusal = { message: 'future transaction tries to replace pending', isTemporary: true }
    expect(pool.add(tx('b', 3, 2n))).toEqual(refusal)
    expect(pool.add(tx('b', 0, 2n))).toBeNull()
    expect(pool.has('a-1-1')).toBe(false)
    expect(pool.pendingCount('a')).toBe(1)
  })
})

test('the same nonce again must pay a tenth more', () => {
  const pool = createGethPool(SMALL)
  pool.add(tx('a', 0, 100n))
  expect(pool.add(tx('a', 0, 109n))?.message).toBe('replacement transaction underpriced')
  expect(pool.add(tx('a', 0, 110n))).toBeNull()
  expect(pool.pending().map(({ hash }) => hash)).toEqual(['a-0-110'])
})

test('an account with delegated code may have one transaction, and no future nonce', () => {
  const pool = createGethPool(SMALL)
  pool.setDelegated('a', true)
  expect(pool.add(tx('a', 1))?.message).toBe('gapped-nonce tx from delegated accounts')
  expect(pool.add(tx('a', 0))).toBeNull()
  expect(pool.add(tx('a', 1))?.message).toBe('in-flight transaction limit reached for delegated accounts')
  expect(pool.add(tx('a', 0, 2n))).toBeNull()
  pool.setCount('a', 1)
  expect(pool.add(tx('a', 1))).toBeNull()
})
