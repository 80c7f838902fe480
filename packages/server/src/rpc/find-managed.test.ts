import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { attemptOf, hashOf, tracking } from '../testing/core/sample-transactions.ts'
import { createFindManaged } from './find-managed.ts'
import { createForwarder } from './forwarder.ts'

const [ORIGINAL, BUMP, CANCEL] = [attemptOf(1), attemptOf(2, 'bump'), attemptOf(3, 'cancel')]

/** A node that is a block ahead of us, with one of the attempts in it. */
function start(minedHash: string | null) {
  const tx = tracking('pending', { attempts: [ORIGINAL, BUMP, CANCEL] })
  const { chainId } = tx.intent.lane
  const forwarder = createForwarder({
    chainId,
    forward: async (requests) =>
      requests.map(({ params: [hash] }) => ({
        type: 'result',
        result: hash === minedHash ? { hash, transactionHash: hash, blockHash: hashOf(9) } : null,
      })),
  })
  const readPending = async () => ({
    hash: CANCEL.hash,
    from: tx.intent.lane.signer,
    chainId,
    object: { blockHash: null },
  })
  return createFindManaged({
    store: { findTransactionByHash: async () => tx },
    upstream: { chainId, readPending },
    forwarder,
  })
}

test.each([
  ['the first bytes', ORIGINAL.hash, ORIGINAL.hash, ORIGINAL.hash],
  ['the first bytes, where a bump was mined', ORIGINAL.hash, BUMP.hash, BUMP.hash],
  ['the first bytes, where the cancellation was mined', ORIGINAL.hash, CANCEL.hash, null],
  // Libraries find it in the block and ask for it, sooner than we have read that block.
  ['the cancellation', CANCEL.hash, CANCEL.hash, CANCEL.hash],
  ['the cancellation, where it came too late', CANCEL.hash, ORIGINAL.hash, ORIGINAL.hash],
])('by a node that is ahead of us, %s', async (_, asked, mined, answered) => {
  const managed = start(mined)
  const receipt = await managed.receipt([asked], LOCAL_CALLER)
  const transaction = await managed.transaction([asked], LOCAL_CALLER)
  if (answered === null) {
    expect([receipt, transaction]).toEqual([null, { blockHash: null }])
  } else {
    expect(receipt).toMatchObject({ transactionHash: answered })
    expect(transaction).toMatchObject({ hash: answered, blockHash: hashOf(9) })
  }
})

test.each([
  ['other signers', { signers: [`0x${'ee'.repeat(20)}` as const] }],
  ['other chains', { chains: [4_711] }],
])('to a key for %s, it is like any other hash', async (_, reach) => {
  const managed = start(BUMP.hash)
  const stranger = { ...LOCAL_CALLER, ...reach }
  for (const { hash } of [ORIGINAL, CANCEL]) {
    expect(await managed.receipt([hash], stranger)).toBeNull()
    expect(await managed.transaction([hash], stranger)).toBeNull()
  }
})

test('what no node has is answered from the stored bytes', async () => {
  const managed = start(null)
  expect(await managed.receipt([ORIGINAL.hash], LOCAL_CALLER)).toBeNull()
  expect(await managed.transaction([CANCEL.hash], LOCAL_CALLER)).toEqual({ blockHash: null })
})
