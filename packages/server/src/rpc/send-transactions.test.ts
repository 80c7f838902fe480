import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { AppError } from '../core/app-error.ts'
import type { AcceptRequest } from '../engine/accept/accept-request.ts'
import { StoreUnavailable } from '../ports/store.ts'
import { createSendTransactions } from './send-transactions.ts'

const FROM = `0x${'11'.repeat(20)}`
const valid = (value: number) => ({ params: [{ from: FROM, to: FROM, value: `0x${value}` }], requestId: null })

/** Refuses everything for this reason, and counts who took a place and gave it back. */
function refusing(reason: unknown, places = 10) {
  const asked: AcceptRequest[] = []
  let taken = 0
  const send = createSendTransactions({
    acceptBatch: async (requests) => {
      asked.push(...requests)
      return requests.map(() => ({ status: 'rejected', reason }))
    },
    waits: {
      enter: () => {
        if (taken >= places) throw new AppError('too_many_waiting', 'no place is left')
        taken++
        return { until: async (transaction) => ({ transaction, outcome: 'timeout' }), leave: () => void taken-- }
      },
    },
    turns: { accept: async () => Promise.reject(reason) },
    signers: { peek: () => null },
    clock: { monotonic: () => 0 },
    holdTimeoutMs: 1_000,
  })
  return { asked, taken: () => taken, send: (...calls: Parameters<typeof send>[0]) => send(calls, 1, LOCAL_CALLER) }
}

test.each<[string, unknown, number, RegExp]>([
  // viem sends again by itself on -32603 and -32005: only what was certainly not stored may say so.
  [
    'a database that does not answer',
    new StoreUnavailable('lost'),
    -32000,
    /may or may not have been stored. Look for it/,
  ],
  [
    'a database that did not answer in time',
    new AppError('database_unavailable', 'late'),
    -32000,
    /may or may not have been stored/,
  ],
  ['a bug', new TypeError('x is not a function'), -32000, /may or may not have been stored/],
  ['a full queue', new AppError('queue_full', 'try later'), -32005, /try later/],
  ['a signer that is none', new AppError('unknown_signer', 'no signer'), -32000, /^unknown account: no signer/],
  ['a key that was used', new AppError('idempotency_conflict', 'used'), -32000, /^used$/],
  [
    'a silent revert',
    new AppError('transaction_rejected', '', { outcome: 'reverted', reason: '' }),
    3,
    /^execution reverted$/,
  ],
  [
    'a lack of funds',
    new AppError('transaction_rejected', '', { outcome: 'insufficient_funds', reason: 'the balance is 0' }),
    -32000,
    /^insufficient funds for gas \* price \+ value: the balance is 0$/,
  ],
])('%s', async (_name, reason, code, message) => {
  const [answer] = await refusing(reason).send(valid(1))
  expect(answer).toMatchObject({
    status: 'rejected',
    reason: { error: { code, message: expect.stringMatching(message) } },
  })
  expect(JSON.stringify(answer)).not.toContain('is not a function')
})

test('one that is wrong does not touch the others, nor their order', async () => {
  const { asked, taken, send } = refusing(new AppError('queue_full', 'full'))
  const answers = await send(valid(1), { params: [{ from: 'nobody' }], requestId: null }, valid(2))
  const full = { reason: { error: { code: -32005 } } }
  expect(answers).toMatchObject([full, { reason: { code: 'invalid_request', details: { field: 'from' } } }, full])
  expect(asked.map(({ value }) => value)).toEqual([1n, 2n])
  expect(taken()).toBe(0)
})

test('nothing is accepted without a free wait slot', async () => {
  const { asked, taken, send } = refusing(new AppError('queue_full', 'full'), 1)
  const answers = await send(valid(1), valid(2))
  expect(answers).toMatchObject([{}, { reason: { code: 'too_many_waiting' } }])
  expect(asked).toHaveLength(1)
  expect(taken()).toBe(0)
})
