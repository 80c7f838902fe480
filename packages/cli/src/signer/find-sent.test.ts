import { expect, test } from 'vitest'
import { type ChainReads, findSent } from './find-sent.ts'

const OWN = '0xABCDEF0000000000000000000000000000000001'
const START = 1_000_000

/** A chain whose blocks at these heights have one transaction of ours each, nonces from 0 up, and one of somebody else. */
function chainWith(heights: readonly number[], { head = 1_000, statesBack = Number.POSITIVE_INFINITY } = {}) {
  const read: number[] = []
  const reads: ChainReads = {
    readHead: async () => head,
    countAt: async (height) => (head - height > statesBack ? null : heights.filter((own) => own <= height).length),
    async readBlock(height) {
      read.push(height)
      const nonce = heights.indexOf(height)
      const rest = { hash: `0x${height}`, blockNumber: height, to: null, value: '0', data: '0x' }
      const transactions = [{ from: '0x02', nonce: 500, ...rest }]
      if (nonce >= 0) transactions.push({ from: OWN.toLowerCase(), nonce, ...rest })
      return { time: START + height, transactions }
    },
  }
  return { reads, read }
}

const search = { address: OWN, fromNonce: 0, since: null, onProgress: () => {} }
const noncesOf = (found: readonly { readonly nonce: number }[]) => found.map(({ nonce }) => nonce)

test('finds everything from the nonce up, the lowest first, and nothing of others', async () => {
  const { reads } = chainWith([10, 400, 900, 990])
  expect(noncesOf(await findSent(reads, { ...search, fromNonce: 1 }))).toEqual([1, 2, 3])
})

test('where the node has the counts, stretches without any are skipped', async () => {
  const { reads, read } = chainWith([10, 990])
  expect(noncesOf(await findSent(reads, search))).toEqual([0, 1])
  expect(read.length).toBeLessThan(200)
})

test('a node that keeps few states is read block by block', async () => {
  const { reads } = chainWith([10, 700, 990], { statesBack: 128 })
  expect(noncesOf(await findSent(reads, search))).toEqual([0, 1, 2])
})

test('nothing above the nonce: no block is read', async () => {
  const { reads, read } = chainWith([10])
  expect([await findSent(reads, { ...search, fromNonce: 1 }), read]).toEqual([[], []])
})

test('without a nonce it looks back to the time', async () => {
  const { reads, read } = chainWith([100, 990])
  const found = await findSent(reads, { ...search, fromNonce: null, since: START + 800 })
  expect(noncesOf(found)).toEqual([1])
  expect(Math.min(...read)).toBeGreaterThan(600)
})
