import { expect, test } from 'vitest'
import type { Transaction } from '../../core/transaction/transaction.ts'
import { type Call, ChainUnavailable } from '../../ports/chain.ts'
import { finished, inclusionIn, mined, queued } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRevertReads } from './revert-reads.ts'

const REVERTED = finished('FAILED_FINAL', { inclusion: inclusionIn(100, { succeeded: false }) })

function setUp(tx: Transaction, answer: (asked: number) => Promise<string | null>) {
  const asked: { readonly call: Call; readonly height: number }[] = []
  const readRevert = (call: Call, height: number) => answer(asked.push({ call, height }))
  const clock = createManualClock()
  const read = createRevertReads({ chains: new Map([[tx.intent.lane.chainId, { readRevert }]]), clock })
  return { asked, clock, read: () => read(tx) }
}

test('the call is run on the block before its own, once, however often somebody asks', async () => {
  const { asked, read } = setUp(REVERTED, async () => 'not enough')
  expect([await read(), await read()]).toEqual(['not enough', 'not enough'])
  const { lane, to, data, value } = REVERTED.intent
  const call = { from: lane.signer, to, data, value, gasLimit: REVERTED.attempts[0]?.gasLimit }
  expect(asked).toEqual([{ call, height: 99 }])
})

test('what the nodes cannot tell now is asked again', async () => {
  const { read } = setUp(REVERTED, async (asked) => {
    if (asked === 1) throw new ChainUnavailable('no answer')
    return 'not enough'
  })
  expect([await read(), await read()]).toEqual([null, 'not enough'])
})

test('nobody waits for a node that does not answer', async () => {
  const { clock, read } = setUp(REVERTED, () => new Promise(() => {}))
  const answer = read()
  await clock.advance(2_000)
  expect(await answer).toBeNull()
})

test.each([
  ['is not mined', queued()],
  ['succeeded', mined({ inclusion: inclusionIn(100) })],
  [
    'was mined as bytes of others',
    finished('FAILED_FINAL', { inclusion: inclusionIn(100, { succeeded: false, txHash: `0x${'9'.repeat(64)}` }) }),
  ],
])('nothing is asked about one that %s', async (_, tx) => {
  const { asked, read } = setUp(tx, async () => 'x')
  expect(await read()).toBeNull()
  expect(asked).toEqual([])
})
