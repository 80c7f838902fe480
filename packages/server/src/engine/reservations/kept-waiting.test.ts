import { expect, test } from 'vitest'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { mined, stuck, tracking } from '../../testing/core/sample-transactions.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createLedger } from '../lane/ledger.ts'
import { createKeptWaiting } from './kept-waiting.ts'

const LANE = tracking('pending').intent.lane
const WAITING = tracking('pending')
const STUCK_AFTER_MS = 10_000

function reservedAt(nonce: number) {
  return { nonce, isUsed: false, usedAt: null, reservedAt: 0, isMined: false, isYielded: false }
}

function setUp() {
  const clock = createManualClock()
  const kept = createKeptWaiting({
    store: { readQueue: async () => [{ ...WAITING, createdAt: 0 } as never] },
    clock,
    telemetry: createRecordingTelemetry(),
    lane: LANE,
    wake: () => {},
  })
  const look = (own: readonly InFlight[], reserved: readonly ReturnType<typeof reservedAt>[], slots: number) =>
    kept.look({
      ledger: createLedger({ cursor: 9, inFlight: own, recyclable: [] }),
      reserved,
      isAsked: false,
      slots,
      queueWaits: true,
      stuckAfterMs: STUCK_AFTER_MS,
    })
  /** What is found after the same scene was looked at for long enough. */
  async function stay(own: readonly InFlight[], reserved: readonly ReturnType<typeof reservedAt>[], slots: number) {
    const since = clock.now()
    for (let round = 0; round < 3; round++) {
      look(own, reserved, slots)
      await clock.advance(STUCK_AFTER_MS)
    }
    return { since, found: kept.find() }
  }
  return { look, stay }
}

const sent = (nonce: number) => tracking('pending', { id: `t${nonce}`, nonce })

test.each([
  ['sent', sent(0)],
  ['stuck', stuck('no_inclusion', { id: 't0', nonce: 0 })],
  ['suspended', tracking('suspended', { id: 't0', nonce: 0, suspended: true })],
] as const)('behind a transaction of our own that is %s nobody waits for a reservation', async (_, own) => {
  const { stay } = setUp()
  // Neither the queue, nor what was sent above both.
  expect((await stay([own], [reservedAt(1)], 0)).found).toBeNull()
  expect((await stay([own, sent(2)], [reservedAt(1)], 1)).found).toBeNull()
  // The wait begins when ours is out of the way.
  const { since, found } = await stay([sent(2)], [reservedAt(1)], 1)
  expect(found).toEqual({ nonce: 1, since })
})

test.each([
  ['nothing of ours is in flight', []],
  ['ours is mined and not final', [mined({ id: 't0', nonce: 0 })]],
  ['a block being built has ours', [tracking('preconfirmed', { id: 't0', nonce: 0 })]],
  ['ours has lost its nonce', [stuck('foreign_nonce', { id: 't0', nonce: 0 })]],
  ['ours is above', [sent(4)]],
] as const)('reservations that take all places keep the queue waiting if %s', async (_, own) => {
  const { stay } = setUp()
  const { since, found } = await stay(own, [reservedAt(2), reservedAt(1)], 0)
  expect(found).toEqual({ nonce: 1, since })
})

test('a look costs no more with many transactions in flight', () => {
  let reads = 0
  const reserved = Array.from({ length: 100 }, (_, index) => {
    const { isMined, ...rest } = reservedAt(1_000 + index)
    return {
      ...rest,
      get isMined() {
        reads++
        return isMined
      },
    }
  })
  const { look } = setUp()
  look(
    Array.from({ length: 1_000 }, (_, nonce) => sent(nonce)),
    reserved,
    1,
  )
  expect(reads).toBeLessThanOrEqual(reserved.length)
})
