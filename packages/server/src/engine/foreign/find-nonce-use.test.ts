import { describe, expect, test } from 'vitest'
import type { Address, Hash } from '../../core/hex.ts'
import { ChainUnavailable, type CountTag } from '../../ports/chain.ts'
import { proofOf } from '../../testing/core/sample-transactions.ts'
import { findNonceUse } from './find-nonce-use.ts'

const ADDRESS: Address = `0x${'a1'.repeat(20)}`
const OURS: Hash = `0x${'01'.repeat(32)}`
const THEIRS: Hash = `0x${'02'.repeat(32)}`
const HEAD = 1_000

/** The account's nonces 0, 1, 2, … are used at these heights, all by `hash`. */
function createReads(usedAt: readonly number[], hash: Hash, stateFrom = 0) {
  const asked: number[] = []
  return {
    asked,
    async getTransactionCount(_: Address, tag: CountTag) {
      if (typeof tag !== 'number') throw new Error('only heights are asked for')
      asked.push(tag)
      if (tag < stateFrom) throw new ChainUnavailable('missing trie node')
      return usedAt.filter((height) => height <= tag).length
    },
    async findNonceUser(height: number, _: Address, nonce: number) {
      return usedAt[nonce] === height ? proofOf({ nonce }, { blockNumber: height, txHash: hash }).user : null
    },
  }
}

const suspected = (nonce: number) => ({ address: ADDRESS, nonce, hashes: [OURS], height: HEAD })

describe('the block that used a nonce', () => {
  test.each([1, 2, 3, 500, 997, 998, 999, 1_000])('is found at height %i, with few questions', async (height) => {
    const reads = createReads([height], THEIRS)
    expect(await findNonceUse(reads, suspected(0))).toMatchObject({
      type: 'foreign',
      user: { inclusion: { blockNumber: height } },
    })
    expect(reads.asked.length).toBeLessThan(25)
  })

  test('is not confused with those of its neighbours', async () => {
    const reads = createReads([10, 700, 700, 701, 990], OURS)
    expect(await findNonceUse(reads, suspected(1))).toMatchObject({
      type: 'ours',
      user: { inclusion: { blockNumber: 700 } },
    })
    expect(await findNonceUse(reads, suspected(2))).toMatchObject({
      type: 'ours',
      user: { inclusion: { blockNumber: 700 } },
    })
    expect(await findNonceUse(reads, suspected(3))).toMatchObject({
      type: 'ours',
      user: { inclusion: { blockNumber: 701 } },
    })
  })

  test.each([
    [997, 996],
    [990, 986],
    [500, 499],
    [500, 400],
    [2, 1],
  ])('is found at height %i, though the node has no state below %i', async (height, stateFrom) => {
    const reads = createReads([height], THEIRS, stateFrom)
    expect(await findNonceUse(reads, suspected(0))).toMatchObject({
      type: 'foreign',
      user: { inclusion: { blockNumber: height } },
    })
    expect(reads.asked.length).toBeLessThan(30)
  })

  test('is not found in the first block whose state is left: the count before it is unknown', async () => {
    const gone = { type: 'unproved', reason: 'missing trie node' }
    expect(await findNonceUse(createReads([700], OURS, 700), suspected(0))).toEqual(gone)
    expect(await findNonceUse(createReads([700], OURS, 1_001), suspected(0))).toEqual(gone)
  })

  test('is not found where the count never passes it, where it always was past it, or where the state is gone', async () => {
    expect(await findNonceUse(createReads([5], OURS), suspected(1))).toMatchObject({ type: 'unproved' })
    expect(await findNonceUse(createReads([0], OURS), suspected(0))).toMatchObject({ type: 'unproved' })
    expect(await findNonceUse(createReads([5], OURS, 900), suspected(0))).toEqual({
      type: 'unproved',
      reason: 'missing trie node',
    })
  })
})
