import { describe, expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import { AppError } from '../core/app-error.ts'
import type { AcceptRequest } from '../engine/accept/accept-request.ts'
import { StoreUnavailable } from '../ports/store.ts'
import { queued } from '../testing/core/sample-transactions.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
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
    clock: createManualClock(),
    telemetry: createRecordingTelemetry(),
    explain: async () => ({ cause: 'preparing', summary: 'It is next.' }),
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

describe('accepted, but not signed in time', () => {
  const accepted = queued()
  type Explain = Parameters<typeof createSendTransactions>[0]['explain']

  async function failureOf(explain: Explain, outcome: 'timeout' | 'stopping' = 'timeout') {
    const clock = createManualClock()
    const send = createSendTransactions({
      acceptBatch: async () => [{ status: 'fulfilled', value: { type: 'accepted', transaction: accepted } }],
      waits: { enter: () => ({ until: async (transaction) => ({ transaction, outcome }), leave: () => {} }) },
      turns: { accept: async () => Promise.reject(new Error('nobody names a nonce')) },
      signers: { peek: () => null },
      clock,
      telemetry: createRecordingTelemetry(),
      explain,
      holdTimeoutMs: 2_000,
    })
    const answers = send([valid(1)], 1, { ...LOCAL_CALLER, tenant: 'ann' })
    await clock.settle()
    await clock.advance(60_000)
    const [answer] = await answers
    if (answer?.status !== 'rejected') throw new Error('it was not refused')
    expect(clock.waiting()).toBe(0)
    return answer.reason.error
  }

  test('the error has the cause and the summary of its explanation', async () => {
    const asked: unknown[] = []
    const error = await failureOf(async (tx, { tenant }) => {
      asked.push([tx.id, tenant])
      return { cause: 'lane_paused', summary: 'Signer 0x1 is paused on chain 1, so it waits.' }
    })
    expect(error).toEqual({
      code: -32002,
      message: `transaction ${accepted.id} was accepted and continues, but it was not signed within 2000 ms: Signer 0x1 is paused on chain 1, so it waits. Do not send it again. Follow it at /v1/transactions/${accepted.id}`,
      data: {
        transactionId: accepted.id,
        state: 'QUEUED',
        subState: accepted.subState,
        cause: 'lane_paused',
        reason: 'Signer 0x1 is paused on chain 1, so it waits.',
      },
    })
    expect(asked).toEqual([[accepted.id, 'ann']])
  })

  test.each<[string, Explain]>([
    ['fails', async () => Promise.reject(new StoreUnavailable('lost'))],
    ['takes too long', () => new Promise(() => {})],
  ])('an explanation that %s is left out; the id is still given', async (_name, explain) => {
    const error = await failureOf(explain)
    expect(error.message).toContain('not signed within 2000 ms. Do not send it again.')
    expect(error.data).toEqual({ transactionId: accepted.id, state: 'QUEUED', subState: accepted.subState })
  })

  test('a node that stops does not read any more', async () => {
    const error = await failureOf(() => Promise.reject(new Error('it was asked')), 'stopping')
    expect(error.message).toContain('but this node is stopping. Do not send it again.')
  })
})
