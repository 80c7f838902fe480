import { describe, expect, test } from 'vitest'
import { attemptOf, mined, stuck, tracking } from '../../testing/core/sample-transactions.ts'
import type { InFlight } from '../transaction/transaction.ts'
import { awaitsCancel, planCancelAll } from './cancel-all.ts'
import type { Reservation } from './reservation.ts'

const ORDERED = { mayReplace: 'on_order' } as const
const sent = tracking('pending')
const cancelling = tracking('pending', { attempts: [attemptOf(1), attemptOf(2, 'cancel')] })

const RESERVED_NONCE = {
  id: 'r-1',
  state: 'RESERVED',
  nonce: 3,
  inclusion: null,
  finalAt: null,
  fillOrderedAt: null,
} as unknown as Reservation

function plan(txIds: readonly string[] | null, inFlight: readonly InFlight[], change: object = {}) {
  return planCancelAll({ txIds }, { inFlight, reservations: [], policy: ORDERED, ...change })
}

describe('an order to cancel everything', () => {
  test('first records its targets: everything with a nonce that is not mined', () => {
    const others = [mined({ id: 'mined' }), stuck('foreign_nonce', { id: 'lost' })]
    expect(plan(null, [sent, ...others])).toEqual({ type: 'note', txIds: ['tx-1'] })
    expect(plan(null, [])).toEqual({ type: 'note', txIds: [] })
  })

  test('then waits for each, adds what a reorg brings back, and resets when all have ended', () => {
    expect(plan(['tx-1'], [sent])).toEqual({ type: 'wait' })
    expect(plan(['tx-1'], [mined()])).toEqual({ type: 'wait' })
    expect(plan(['tx-1'], [tracking('reorged', { id: 'tx-2' })])).toEqual({ type: 'note', txIds: ['tx-1', 'tx-2'] })
    expect(plan(['tx-1'], [])).toEqual({ type: 'reset' })
  })

  test('does not wait for one that lost its nonce meanwhile: nothing can cancel it', () => {
    expect(plan(['tx-1'], [stuck('foreign_nonce')])).toEqual({ type: 'reset' })
    expect(plan(['tx-1', 'tx-2'], [stuck('foreign_nonce'), mined({ id: 'tx-2' })])).toEqual({ type: 'wait' })
  })

  test('is refused where policy forbids it, unless nothing is left to replace', () => {
    const policy = { mayReplace: 'never' }
    expect(plan(null, [sent], { policy })).toMatchObject({ type: 'refuse', why: expect.stringContaining('never') })
    expect(plan(['tx-1'], [cancelling], { policy })).toEqual({ type: 'wait' })
  })

  test.each<[string, Partial<Reservation>]>([
    ['is given back', { state: 'RELEASED' }],
    ['is being filled', { state: 'USED', fillOrderedAt: 1 }],
  ])('goes on beside a reserved nonce that %s, and waits for its end', (_, change) => {
    const reservations = [{ ...RESERVED_NONCE, ...change }]
    expect(plan(null, [sent], { reservations })).toMatchObject({ type: 'note' })
    expect(plan([], [], { reservations })).toEqual({ type: 'wait' })
    expect(plan([], [], { reservations: [...reservations, RESERVED_NONCE] })).toMatchObject({ type: 'refuse' })
  })

  test('is refused while a nonce is reserved, by name', () => {
    const reserved = RESERVED_NONCE
    expect(plan(null, [sent], { reservations: [reserved] })).toMatchObject({
      type: 'refuse',
      why: expect.stringContaining('nonce 3 (reservation r-1)'),
    })
  })

  test('requests each cancellation once', () => {
    const order = { txIds: ['tx-1'] }
    expect(awaitsCancel(sent, order)).toBe(true)
    expect(awaitsCancel(sent, { txIds: [] })).toBe(false)
    for (const told of [tracking('pending', { requestedReplacement: 'cancel' }), cancelling, mined()]) {
      expect(awaitsCancel(told, order)).toBe(false)
    }
    // What makes way could go back in line.
    const refusal = { code: 'rejected', message: 'no', mayPass: true }
    expect(awaitsCancel({ ...cancelling, refusal }, order)).toBe(true)
  })
})
