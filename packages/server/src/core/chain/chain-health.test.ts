import { describe, expect, test } from 'vitest'
import { hashOf, T0 } from '../../testing/core/sample-transactions.ts'
import { assessChain, type ChainSigns, isMoving, observeBlockTime, standingAfter } from './chain-health.ts'
import type { Header } from './finality.ts'

const LIMITS = { unreachableAfterMs: 7_500, quietAfterMs: 60_000, standingAfterMs: 120_000, rewoundAfterMs: 30_000 }
const WELL: ChainSigns = {
  now: T0,
  hosts: ['rpc-1.example'],
  answeredAt: T0 - 1_000,
  failingSince: null,
  lastError: null,
  headSeenAt: T0 - 5_000,
  height: 100,
  highest: 100,
  belowSince: null,
  waitingSince: null,
}

const assess = (change: Partial<ChainSigns>) => assessChain({ ...WELL, ...change }, LIMITS)

describe('a chain', () => {
  test('that answers and moves is ok, and says nothing', () => {
    expect(assess({})).toEqual({ state: 'ok', since: null, message: null })
  })

  test('of which no block was read yet is starting', () => {
    expect(assess({ headSeenAt: null, answeredAt: null, height: null, highest: null }).state).toBe('starting')
  })
})

describe('stalled', () => {
  const quiet = { headSeenAt: T0 - 3_600_000, waitingSince: T0 - 120_000 }

  test('no block while something waits is named, with how long', () => {
    expect(assess({ headSeenAt: T0 - 120_000, waitingSince: T0 - 130_000 })).toEqual({
      state: 'standing',
      since: T0 - 120_000,
      message: 'The chain has made no block for 2 min; nothing can be mined.',
    })
    expect(assess({ headSeenAt: T0 - 119_999, waitingSince: T0 - 130_000 }).state).toBe('ok')
  })

  test('a chain that makes blocks on demand is healthy while nobody needs one', () => {
    expect(assess({ ...quiet, waitingSince: null }).state).toBe('ok')
    expect(assess({ ...quiet, waitingSince: T0 - 119_999 }).state).toBe('ok')
    expect(assess(quiet).state).toBe('standing')
  })
})

describe('rewound', () => {
  test('far below what was followed, and it stays so', () => {
    const back = { height: 0, belowSince: T0 - 30_000 }
    expect(assess(back)).toMatchObject({ state: 'rewound', since: T0 - 30_000 })
    expect(assess(back).message).toBe('The chain went back from block 100 to block 0 and has not recovered for 30 s.')
    expect(assess({ ...back, belowSince: T0 - 29_999 }).state).toBe('ok')
  })
})

describe('unreachable', () => {
  test('reads fail for long: the node, since when and why are named', () => {
    const failing = { answeredAt: T0 - 9_000, failingSince: T0 - 8_000, lastError: 'no connection' }
    expect(assess(failing)).toEqual({
      state: 'unreachable',
      since: T0 - 9_000,
      message: `RPC node rpc-1.example has not responded since ${new Date(T0 - 9_000).toISOString()} (no connection).`,
    })
    expect(assess({ ...failing, hosts: ['a', 'b'] }).message).toContain('None of the RPC nodes (a, b) has responded')
    expect(assess({ ...failing, failingSince: T0 - 7_499 }).state).toBe('ok')
  })

  test('failing reads that still make progress are no outage', () => {
    expect(assess({ answeredAt: T0 - 500, failingSince: T0 - 60_000 }).state).toBe('ok')
  })

  test('one that never answered is unreachable after the same time', () => {
    const never = { answeredAt: null, headSeenAt: null, failingSince: T0 - 8_000 }
    expect(assess(never)).toMatchObject({ state: 'unreachable', since: T0 - 8_000 })
  })

  test('silence without an error counts too, and comes before everything else', () => {
    const silent = { answeredAt: T0 - 60_000, belowSince: T0 - 90_000, headSeenAt: T0 - 600_000, waitingSince: 0 }
    expect(assess(silent).state).toBe('unreachable')
  })
})

test('time counts against a transaction only while blocks come', () => {
  const states = ['starting', 'ok', 'standing', 'rewound', 'unreachable'] as const
  expect(states.filter((state) => isMoving({ state, since: null, message: null }))).toEqual(['starting', 'ok'])
})

describe('how often blocks come', () => {
  function viewOf(timestamps: readonly number[]) {
    const headers = timestamps.map(
      (timestamp, number): Header => ({ number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp }),
    )
    const head = headers.at(-1) as Header
    return { head, safe: null, finalized: null, header: (number: number) => headers[number] ?? null }
  }

  test('is the median by their timestamps, once enough are known', () => {
    expect(observeBlockTime(viewOf([0, 12, 24, 36, 48, 60, 72, 84, 600]))).toBe(12_000)
    expect(observeBlockTime(viewOf([0, 12, 24, 36]))).toBeNull()
  })

  test('sets when a chain counts as stalled, never below half a minute', () => {
    expect([0, 250, 2_000, 12_000].map(standingAfter)).toEqual([30_000, 30_000, 30_000, 120_000])
  })
})
