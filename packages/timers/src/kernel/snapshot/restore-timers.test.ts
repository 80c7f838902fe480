/** What a store or another chain hands back is checked before it is believed. */
import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { applyDelivery } from '../deliver/apply-delivery.ts'
import type { Delivery } from '../deliver/deliver.ts'
import { timersRoot } from '../merkle/timer-leaves.ts'
import { A, B, C, ROOT, SmallWorld } from '../small-world.suite.ts'
import type { IntervalTimer, WatchTimer } from '../state/timer.ts'
import { createTimerState } from '../state/timer-state.ts'
import { restoreTimers } from './restore-timers.ts'
import { snapshotTimers, type TimerSnapshot } from './timer-snapshot.ts'

function createWorld(): SmallWorld {
  const world = new SmallWorld({ maxWatchMatchesPerBlock: 1 })
  world.set({ everyBlocks: 1, clientNonce: 4 })
  world.set({ watchKeys: [`${C}01`, `${C}02`], target: B, payload: '0xbb' })
  world.set({ dueHeight: 1, target: B })
  world.open().close({ modifiedKeys: [`${C}01`, `${C}02`] })
  return world
}

const good = snapshotTimers(createWorld().state)
const interval = good.timers.find((timer): timer is IntervalTimer => timer.kind === 'INTERVAL') as IntervalTimer
const watch = good.timers.find((timer): timer is WatchTimer => timer.kind === 'STATE_WATCH') as WatchTimer
const upper = (hex: Hex): Hex => `0x${hex.slice(2).toUpperCase()}`
const id: Hex = `0x${'07'.repeat(32)}`

describe('restoreTimers', () => {
  test('takes what snapshotTimers gives, in any order', () => {
    expect(timersRoot(restoreTimers(good))).toBe(timersRoot(createWorld().state))
    const turned = { ...good, timers: [...good.timers].reverse(), tombstones: [...good.tombstones].reverse() }
    expect(timersRoot(restoreTimers(turned))).toBe(timersRoot(restoreTimers(good)))
    expect(good.carriedKeys).toEqual([[`${C}02`, 1n]])
  })

  const records: [string, Partial<IntervalTimer> | Record<string, unknown>][] = [
    ['a wide id', { timerId: `${id}00` }],
    ['a shouted id', { timerId: `0x${'AB'.repeat(32)}` }],
    ['a shouted owner', { owner: upper(A) }],
    ['a short target', { target: '0x12' }],
    ['a payload of half a byte', { payload: '0x1' }],
    ['a negative bid', { bidFp: -1n }],
    ['a bid past 128 bits', { bidFp: 1n << 128n }],
    ['gas past 64 bits', { gasLimit: 1n << 64n }],
    ['a number for gas', { gasLimit: 10_000 }],
    ['a negative fireSeq', { fireSeq: -1 }],
    ['a fireSeq past 32 bits', { fireSeq: 2 ** 32 }],
    ['half a fire', { fireSeq: 0.5 }],
    ['no interval', { everyBlocks: 0 }],
    ['negative failures', { failures: -1 }],
    ['a negative rank', { fifoRank: -1n }],
    ['no due height', { dueHeight: null }],
    ['a due height past 64 bits', { dueHeight: 1n << 64n }],
    ['an unknown kind', { kind: 'CRON' }],
  ]
  test.each(records)('refuses a timer with %s', (_, change) => {
    const timers = [{ ...interval, ...change } as IntervalTimer]
    expect(() => restoreTimers({ ...good, nonces: [], timers })).toThrow(RangeError)
  })
  test.each<[string, Record<string, unknown>]>([
    ['no keys', { watchKeys: [] }],
    ['keys out of order', { watchKeys: [`${C}02`, `${C}01`] }],
    ['a short key', { watchKeys: ['0x01'] }],
    ['a match but no due height', { dueHeight: null, matched: { keys: [], truncated: false } }],
    ['matched keys out of order', { dueHeight: 2n, matched: { keys: [`${C}02`, `${C}01`], truncated: false } }],
  ])('refuses a watch with %s', (_, change) => {
    expect(() => restoreTimers({ ...good, timers: [{ ...watch, ...change } as WatchTimer] })).toThrow(RangeError)
  })
  test.each<[string, Partial<Record<keyof TimerSnapshot, unknown>>]>([
    ['another width of chain', { chainId: 1n << 64n }],
    ['a negative height', { height: -1n }],
    ['a cursor of the future', { cursors: [[A, 9n << 32n]] }],
    ['a cursor of nobody', { cursors: [['0x12', 1n]] }],
    ['a negative counter', { ownerCounters: [[A, -1n]] }],
    ['an owner twice', { ownerCounters: [[A, 1n], [A, 2n]] }], // biome-ignore format: a table
    ['a spent nonce of a live timer', { nonces: [[interval.timerId, id]] }],
    ['an open nonce of no timer', { nonces: [[id, null]] }],
    ['a tombstone of a live timer', { tombstones: [{ timerId: interval.timerId, owner: A, target: A, height: 1n }] }],
    ['an isolated timer that is not there', { isolated: [[id, 1n]] }],
    ['a key carried in the future', { carriedKeys: [[C, 7n]] }],
    ['a key carried twice', { carriedKeys: [[C, 1n], [C, 1n]] }], // biome-ignore format: a table
    ['a target in another spelling', { targets: [upper(A)] }],
  ])('refuses %s', (_, change) => {
    expect(() => restoreTimers({ ...good, ...change } as TimerSnapshot)).toThrow(RangeError)
  })
})

describe('applyDelivery', () => {
  function pending(): { world: SmallWorld; delivery: Delivery } {
    const world = createWorld().open()
    return { world, delivery: world.deliver({ modifiedKeys: [`${C}01`] }) }
  }
  const changed = (delivery: Delivery, type: string, change: object): Delivery => {
    const mutations = delivery.mutations.map((each) => (each.type === type ? { ...each, ...change } : each))
    expect(mutations).not.toEqual(delivery.mutations)
    return { ...delivery, mutations: mutations as Delivery['mutations'] }
  }

  test('takes a delivery of this state, with or without what it derived', () => {
    const { world, delivery } = pending()
    const roots = [delivery, { ...delivery, derived: null }].map((each) =>
      timersRoot(applyDelivery(world.state, each).state),
    )
    expect(roots[0]).toBe(roots[1])
  })
  test("refuses another chain's", () => {
    const { world, delivery } = pending()
    expect(() => applyDelivery(createTimerState({ chainId: 2n }), delivery)).toThrow(/chain 1/)
    expect(() => applyDelivery(world.state, { ...delivery, chainId: 7n })).toThrow(/chain 7/)
  })
  test('refuses one of the past, and one twice', () => {
    const { world, delivery } = pending()
    const { state } = applyDelivery(world.state, delivery)
    expect(() => applyDelivery(state, delivery)).toThrow(/already applied/)
    expect(() => applyDelivery(world.state, { ...delivery, height: 1n << 64n })).toThrow(RangeError)
  })
  test.each<[string, object]>([
    ['timer.rescheduled', { fireSeq: -1 }],
    ['timer.rescheduled', { fireSeq: 7 }],
    ['timer.rescheduled', { dueHeight: 1n }],
    ['timer.rescheduled', { timerId: `${id}00` }],
    ['timer.rescheduled', { type: 'timer.spent' }],
    ['timer.rescheduled', { type: 'timer.exploded' }],
    ['cursor.moved', { cursor: 5n }],
    ['cursor.moved', { target: '0x12' }],
  ])('refuses %s with %o', (type, change) => {
    const { world, delivery } = pending()
    expect(() => applyDelivery(world.state, changed(delivery, type, change))).toThrow(RangeError)
  })
  test('refuses evictions and failures that name no timer', () => {
    const { world, delivery } = pending()
    const evictions = [{ type: 'target_gone', timerId: '0x01', owner: A, target: A, fireSeq: 0 }] as const
    expect(() => applyDelivery(world.state, { ...delivery, evictions })).toThrow(RangeError)
    expect(() => applyDelivery(world.state, delivery, new Set(['0x01']))).toThrow(RangeError)
    expect(() => applyDelivery(world.state, delivery, new Set([ROOT]))).not.toThrow()
  })
})
