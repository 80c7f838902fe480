import { describe, expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { allocated, mined, stuck, T0, tracking } from '../../testing/core/sample-transactions.ts'
import { createLaneDraft } from '../lane/lane-draft.ts'
import { createLedger } from '../lane/ledger.ts'
import { keepAlive, nextDueAt, type Surroundings } from './keep-alive.ts'

const POLICY = { ...STABLE, resubmitIntervalMs: 30_000, stuckAfterMs: 600_000 }

/** Sent, and to be sent again, at these moments after T0. */
function sent(nonce: number, at: number, change: Partial<InFlight> = {}): InFlight {
  const times = { waitingSince: T0 + at, lastSubmitAt: T0 + at, nextResubmitAt: T0 + at + 30_000 }
  return { ...tracking('pending', { id: `tx-${nonce}`, nonce, ...times }), ...change } as InFlight
}

function keep(list: readonly InFlight[], at: number, around: Partial<Surroundings> = {}) {
  const ledger = createLedger({ cursor: 100, inFlight: list, recyclable: [] })
  const draft = createLaneDraft(ledger, POLICY)
  keepAlive(draft, T0 + at, POLICY, { window: 100, lowestReserved: null, movingSince: 0, ...around })
  const claimed = draft.effects().filter(({ effect }) => effect.type === 'broadcast')
  return {
    claimed: claimed.map(({ txId }) => txId),
    states: draft.inFlight().map((tx) => `${tx.id} ${tx.state} ${tx.subState}`),
  }
}

describe('sending again', () => {
  test('only as far ahead as the window reaches', () => {
    expect(keep([sent(7, 0), sent(8, 0), sent(9, 0)], 30_000, { window: 2 }).claimed).toEqual(['tx-7', 'tx-8'])
  })

  test('nothing before its time, and then the claim comes with the send', () => {
    expect(keep([sent(7, 0)], 29_999).claimed).toEqual([])
    expect(keep([sent(7, 0)], 30_000)).toEqual({ claimed: ['tx-7'], states: ['tx-7 TRACKING stale'] })
  })

  test('a clock that was set back, or a shorter interval, does not keep it waiting', () => {
    expect(keep([sent(7, 0)], 0).claimed).toEqual([])
    expect(keep([sent(7, 1)], 0).claimed).toEqual(['tx-7'])
  })

  test('when one is overdue, all of the lane that are nearly due go along, lowest first', () => {
    expect(keep([sent(9, 14_000), sent(8, 16_000), sent(7, 0)], 30_000).claimed).toEqual(['tx-7', 'tx-9'])
  })

  test('bytes that a node refused follow their own pauses and drag nobody along', () => {
    const refused = sent(7, 28_000, { nextResubmitAt: T0 + 30_000 })
    expect(keep([refused, sent(8, 2_000)], 30_000).claimed).toEqual(['tx-7'])
  })

  test('mined and suspended ones are left alone', () => {
    const suspended = sent(8, 0, { suspended: true })
    expect(keep([mined({ id: 'tx-7', nonce: 7 }), suspended], 3_600_000).claimed).toEqual([])
  })

  test('what was never answered goes again too', () => {
    const silent = allocated({ id: 'tx-7', nextResubmitAt: T0 + 31_000 })
    expect(keep([silent], 31_000).claimed).toEqual(['tx-7'])
  })
})

describe('waiting too long', () => {
  test('makes the lowest nonce stuck and those above it blocked', () => {
    expect(keep([sent(7, 0), sent(8, 0)], 600_000).states).toEqual([
      'tx-7 STUCK no_inclusion',
      'tx-8 TRACKING blocked_by_predecessor',
    ])
  })

  test('behind a mined nonce, the next one is the lowest', () => {
    const states = keep([mined({ id: 'tx-6', nonce: 6 }), sent(7, 0)], 600_000).states
    expect(states[1]).toBe('tx-7 STUCK no_inclusion')
  })

  test('after a nonce lost to a foreign transaction, the next one is the lowest', () => {
    const lost = stuck('foreign_nonce', { id: 'tx-6', nonce: 6 })
    expect(keep([lost, sent(7, 0), sent(8, 0)], 600_000).states).toEqual([
      'tx-6 STUCK foreign_nonce',
      'tx-7 STUCK no_inclusion',
      'tx-8 TRACKING blocked_by_predecessor',
    ])
    expect(keep([lost, sent(7, 0), sent(8, 0)], 30_000, { window: 1 }).claimed).toEqual(['tx-7'])
  })

  test('behind a suspended nonce nobody is stuck', () => {
    const states = keep([sent(7, 0, { suspended: true, subState: 'suspended' }), sent(8, 0)], 600_000).states
    expect(states).toEqual(['tx-7 TRACKING suspended', 'tx-8 TRACKING blocked_by_predecessor'])
  })
})

describe('a chain that made no blocks', () => {
  test('marks nothing stuck while it is stalled, however long', () => {
    expect(keep([sent(7, 0)], 3_600_000, { movingSince: null }).states).toEqual(['tx-7 TRACKING stale'])
    expect(nextDueAt([sent(7, 0)], POLICY, { window: 100, holdUntil: null, movingSince: null })).toBe(T0 + 30_000)
  })

  test('gives each its full time once blocks come again', () => {
    const movingSince = T0 + 3_600_000
    expect(keep([sent(7, 0)], 3_600_000 + 599_999, { movingSince }).states).toEqual(['tx-7 TRACKING stale'])
    expect(keep([sent(7, 0)], 3_600_000 + 600_000, { movingSince }).states).toEqual(['tx-7 STUCK no_inclusion'])
  })
})

describe('when to look again', () => {
  test.each([100, 2, 1])('after a pass there is never anything due that the pass left undone: window %i', (window) => {
    for (let at = 0; at <= 1_300_000; at += 7_919) {
      const list = [sent(7, 0), sent(8, 5_000), allocated({ id: 'tx-9', nonce: 9, nextResubmitAt: T0 })]
      const draft = createLaneDraft(createLedger({ cursor: 10, inFlight: list, recyclable: [] }), POLICY)
      keepAlive(draft, T0 + at, POLICY, { window, lowestReserved: null, movingSince: 0 })
      const due = nextDueAt(draft.inFlight(), POLICY, { window, holdUntil: null, movingSince: 0 })
      expect(due).toBeGreaterThan(T0 + at)
    }
  })

  test('nothing in flight and no hold: only a signal can change anything', () => {
    expect(nextDueAt([], POLICY, { window: 100, holdUntil: null, movingSince: 0 })).toBeNull()
    expect(nextDueAt([mined()], POLICY, { window: 100, holdUntil: null, movingSince: 0 })).toBeNull()
    expect(nextDueAt([], POLICY, { window: 100, holdUntil: 42, movingSince: 0 })).toBe(42)
  })
})
