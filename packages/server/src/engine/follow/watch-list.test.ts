import { expect, test } from 'vitest'
import { allocated, attemptOf, hashOf } from '../../testing/core/sample-transactions.ts'
import type { LaneRunner } from '../lane/lane-runner.ts'
import { createWatchList } from './watch-list.ts'

function createRunner(): LaneRunner {
  const lease = { lane: { chainId: 1, signer: `0x${'11'.repeat(20)}` as const }, nodeId: 'node-a', fence: 1 }
  return {
    lease,
    inFlight: () => null,
    finalityOf: () => ({ type: 'finalized' }),
    post: () => {},
    stop: async () => {},
  }
}

test('what moved to another nonce is found by its new bytes, and no longer by those that it gave up', () => {
  const list = createWatchList()
  const runner = createRunner()
  const tx = allocated({ id: 'tx-1', nonce: 7, attempts: [attemptOf(1, 'original', 7)] })
  list.put(runner, tx, 0, false)
  expect(list.findByHash(hashOf(1))?.txId).toBe('tx-1')
  list.put(runner, { ...tx, nonce: 9, attempts: [...tx.attempts, attemptOf(2, 'original', 9)] }, 0, false)
  expect([list.findByHash(hashOf(1)), list.findByHash(hashOf(2))?.txId]).toEqual([null, 'tx-1'])
})

test('a lane that changed hands is watched for its new owner alone', () => {
  const list = createWatchList()
  const [before, after] = [createRunner(), createRunner()]
  const tx = allocated({ id: 'tx-1' })
  list.put(before, tx, 0, false)
  list.put(after, tx, 0, false)
  list.forget(before)
  expect(list.find('tx-1')?.runner).toBe(after)
  list.forget(after)
  expect(list.all()).toEqual([])
})
