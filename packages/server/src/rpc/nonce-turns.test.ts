import { describe, expect, test } from 'vitest'
import { AppError } from '../core/app-error.ts'
import { type AcceptBatch, OUT_OF_TURN } from '../engine/accept/accept-batch.ts'
import type { Notice } from '../ports/notice.ts'
import { queued } from '../testing/core/sample-transactions.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { plainRequest } from '../testing/engine/plain-request.ts'
import { createNonceTurns, type ExactRequest } from './nonce-turns.ts'

const { lane } = queued().intent
const HOLD_MS = 8_000

function request(exactNonce: number, requestId: string | null = null): ExactRequest {
  return { ...plainRequest(lane.signer, lane.signer), chainId: lane.chainId, exactNonce, requestId }
}

/** A lane whose next nonce is known, behind an acceptance that refuses what it is told to. */
function setUp(first: number, refused: readonly number[] = []) {
  const clock = createManualClock()
  const listeners = new Set<(notice: Notice) => void>()
  const state = { next: first, refused: new Set(refused), batches: [] as number[][], isDown: false, onBatch() {} }
  const acceptBatch: AcceptBatch = async (requests) => {
    if (requests.length > 0) state.batches.push(requests.map(({ exactNonce }) => exactNonce ?? -1))
    const { onBatch } = state
    if (requests.length > 0) {
      state.onBatch = () => {}
      onBatch()
    }
    let isBroken = false
    return requests.map(({ exactNonce = -1, refusal, requestId }) => {
      if (requestId === 'earlier') return { status: 'fulfilled', value: { type: 'existing', transaction: queued() } }
      if (refusal !== undefined) return { status: 'rejected', reason: refusal }
      if (isBroken) {
        return { status: 'rejected', reason: new AppError('transaction_rejected', '', { outcome: OUT_OF_TURN }) }
      }
      if (state.refused.has(exactNonce)) {
        isBroken = true
        return { status: 'rejected', reason: new AppError('transaction_rejected', 'it reverts') }
      }
      state.next++
      return { status: 'fulfilled', value: { type: 'accepted', transaction: queued({ id: `tx-${exactNonce}` }) } }
    })
  }
  const turns = createNonceTurns({
    acceptBatch,
    clock,
    store: {
      listen: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    readNext: async () => {
      if (state.isDown) throw new Error('the database is away')
      return state.next
    },
  })
  const answers = new Map<number, string>()
  const send = (nonce: number, requestId: string | null = null) =>
    void turns.accept(request(nonce, requestId), lane, HOLD_MS).then(
      ({ transaction }) => answers.set(nonce, transaction.id),
      (error: Error) => answers.set(nonce, error.message),
    )
  const notify = (notice: Notice) => {
    for (const listener of listeners) listener(notice)
  }
  return { clock, state, turns, answers, send, notify, listeners }
}

test('calls that come in any order are accepted in the order of their nonces', async () => {
  const { clock, state, answers, send } = setUp(5)
  for (const nonce of [8, 6, 9, 7]) send(nonce)
  await clock.settle()
  expect(answers.size).toBe(0)
  send(5)
  await clock.settle()
  expect(state.batches.flat()).toEqual([5, 6, 7, 8, 9])
  expect([...answers]).toEqual([5, 6, 7, 8, 9].map((nonce) => [nonce, `tx-${nonce}`]))
  expect(clock.waiting()).toBe(0)
})

test.each([
  ['one that was given out', 4, /^nonce too low: next nonce 5, tx nonce 4;/],
  ['one that is too far ahead', 5 + 65, /^nonce too high: next nonce 5, tx nonce 70;/],
])('%s is refused at once', async (_name, nonce, message) => {
  const { clock, answers, send } = setUp(5)
  send(nonce)
  await clock.settle()
  expect(answers.get(nonce)).toMatch(message)
  expect(clock.waiting()).toBe(0)
})

test('a batch that has no gaps may be longer than the distance', async () => {
  const { clock, answers, send } = setUp(5)
  for (let nonce = 5; nonce < 305; nonce++) send(nonce)
  await clock.settle()
  expect(answers.get(304)).toBe('tx-304')
})

test('one that is early is refused when its time is up, with nothing stored', async () => {
  const { clock, state, answers, send } = setUp(5)
  send(7)
  await clock.advance(HOLD_MS - 1)
  expect(answers.size).toBe(0)
  await clock.advance(1)
  expect(answers.get(7)).toMatch(/^nonce too high: next nonce 5, tx nonce 7;/)
  expect(state.batches).toEqual([])
  await clock.advance(60_000)
  expect(clock.waiting()).toBe(0)
})

test('those behind one that is refused wait for another one with its nonce', async () => {
  const { clock, state, answers, send } = setUp(5, [6])
  for (const nonce of [7, 5, 6]) send(nonce)
  await clock.settle()
  expect(answers.get(5)).toBe('tx-5')
  expect(answers.get(6)).toBe('it reverts')
  expect(answers.has(7)).toBe(false)
  state.refused.clear()
  send(6)
  await clock.settle()
  expect([answers.get(6), answers.get(7)]).toEqual(['tx-6', 'tx-7'])
})

test.each<[string, Notice | null]>([
  ['a notice of the lane', { type: 'lane.work', lane }],
  ['a notice that some were lost', { type: 'gap' }],
  ['time alone', null],
])('%s makes it look again: the nonces below may be used at another node', async (_name, notice) => {
  const { clock, state, answers, send, notify } = setUp(5)
  send(7)
  await clock.settle()
  state.next = 7
  if (notice === null) await clock.advance(1_000)
  else notify(notice)
  await clock.settle()
  expect(answers.get(7)).toBe('tx-7')
})

test('a second call with the same nonce is refused while the first waits', async () => {
  const { clock, answers, send, turns } = setUp(5)
  send(7)
  await expect(turns.accept(request(7), lane, HOLD_MS)).rejects.toThrow(
    /^nonce too low: another call with nonce 7 is already waiting; leave nonce out, .* Idempotency-Key/,
  )
  await clock.settle()
  expect(answers.size).toBe(0)
})

describe('a call with the request id of one that waits', () => {
  const held = request(7, 'order-1')

  test('shares its outcome', async () => {
    const { clock, state, turns, send } = setUp(5)
    const calls = [held, { ...held }].map((each) => turns.accept(each, lane, HOLD_MS))
    for (const nonce of [5, 6]) send(nonce)
    const answers = await Promise.all(calls)
    expect(answers.map(({ transaction }) => transaction.id)).toEqual(['tx-7', 'tx-7'])
    expect(state.batches.flat()).toEqual([5, 6, 7])
    expect(clock.waiting()).toBe(0)
  })

  test('shares its refusal, too', async () => {
    const { clock, turns } = setUp(5)
    const calls = Promise.allSettled([held, { ...held }].map((each) => turns.accept(each, lane, HOLD_MS)))
    await clock.advance(HOLD_MS)
    const [first, second] = await calls
    expect(first).toMatchObject({ reason: { message: expect.stringMatching(/^nonce too high/) } })
    expect(second).toEqual(first)
  })

  test('and another body is a conflict', async () => {
    const { turns, send, clock, answers } = setUp(5)
    send(7, 'order-1')
    await expect(turns.accept({ ...held, value: 99n }, lane, HOLD_MS)).rejects.toMatchObject({
      code: 'idempotency_conflict',
      details: { field: 'requestId' },
      message: expect.stringMatching(/^Request id "order-1" was used before with a different body/),
    })
    await clock.settle()
    expect(answers.size).toBe(0)
  })

  test('but of another tenant, is another call', async () => {
    const { turns, send } = setUp(5)
    send(7, 'order-1')
    const other = turns.accept({ ...held, tenant: 'bob' }, lane, HOLD_MS)
    await expect(other).rejects.toThrow('another call with nonce 7')
  })

  test.each([
    ['shares', 'order-1', 'tx-7'],
    ['does not share', 'order-2', /^nonce too low: another call/],
  ])(
    'if it comes while the first is being accepted, and that goes back in line, it %s the outcome',
    async (_verb, id, outcome) => {
      const { clock, state, turns, answers, send } = setUp(5, [6])
      const first = turns.accept(held, lane, HOLD_MS)
      await clock.settle()
      let second: Promise<unknown> = Promise.resolve()
      state.onBatch = () => {
        second = turns.accept(request(7, id), lane, HOLD_MS).then(
          ({ transaction }) => transaction.id,
          (error: Error) => error.message,
        )
      }
      for (const nonce of [5, 6]) send(nonce)
      await clock.settle()
      expect(answers.get(6)).toBe('it reverts')
      state.refused.clear()
      send(6)
      await clock.settle()
      expect((await first).transaction.id).toBe('tx-7')
      expect(await second).toEqual(outcome instanceof RegExp ? expect.stringMatching(outcome) : outcome)
      expect(clock.waiting()).toBe(0)
    },
  )
})

test('a repeat of an earlier request gets its first answer, though its nonce is used', async () => {
  const { clock, answers, send } = setUp(5)
  send(3, 'earlier')
  send(4, 'new')
  await clock.settle()
  expect(answers.get(3)).toBe(queued().id)
  expect(answers.get(4)).toMatch(/^nonce too low/)
})

test('a failed lookup is the answer for those waiting, not for later calls', async () => {
  const { clock, state, answers, send } = setUp(5)
  state.isDown = true
  send(5)
  await clock.settle()
  expect(answers.get(5)).toBe('the database is away')
  state.isDown = false
  send(5)
  await clock.settle()
  expect(answers.get(5)).toBe('tx-5')
})

test('a shutdown refuses waiting calls', async () => {
  const { clock, answers, send, turns, listeners } = setUp(5)
  send(7)
  await clock.settle()
  turns.close()
  await clock.settle()
  expect(answers.get(7)).toMatch(/this node is stopping; nothing was stored/)
  // Nobody would look after one that comes now.
  send(9)
  await clock.settle()
  expect(answers.get(9)).toMatch(/this node is stopping/)
  expect([clock.waiting(), listeners.size]).toEqual([0, 0])
})
