import { describe, expect, test } from 'vitest'
import { timersRoot } from './merkle/timer-leaves.ts'
import { createScript, playScript } from './random-script.suite.ts'
import { restoreTimers } from './snapshot/restore-timers.ts'
import { snapshotTimers } from './snapshot/timer-snapshot.ts'
import type { TimerState } from './state/timer-state.ts'

describe('R30 state is a value', () => {
  test.each(Array.from({ length: 20 }, (_, n) => 2_000 + n))('history %i: a fork leaves no trace [G9]', (seed) => {
    const kept = createScript(seed, 20)
    const other = createScript(seed + 500, 20)
    const seen: TimerState[] = []
    const straight = playScript(kept, { shards: 1, inspect: (state) => seen.push(state) })
    const roots = seen.map(timersRoot)
    const fork = { ...kept, blocks: [...kept.blocks.slice(0, 10), ...other.blocks.slice(10)] }
    expect(playScript(fork, { shards: 3 }).lines.slice(0, 10)).toEqual(straight.lines.slice(0, 10))
    expect(seen.map(timersRoot)).toEqual(roots)
    expect(playScript(kept, { shards: 2 }).lines).toEqual(straight.lines)
  })
})

describe('the property histories are not empty of meaning', () => {
  test('between them they meet every kind of outcome', () => {
    const met = new Map<string, number>()
    const meet = (what: string) => met.set(what, (met.get(what) ?? 0) + 1)
    for (let seed = 0; seed < 60; seed += 1) {
      playScript(createScript(seed, 40), {
        shards: 1,
        rootless: true,
        inspect(state, delivery, block) {
          for (const { type } of [...delivery.evictions, ...delivery.mutations]) meet(type)
          if (delivery.carried.keys.length > 0) meet('carried')
          if (delivery.carried.clipped !== null) meet('clipped')
          if (delivery.entries.some(({ triggerCtx }) => triggerCtx.matched?.truncated)) meet('truncated')
          if (state.isolated.size > 0) meet('isolated')
          if ((delivery.derived?.ready.shards[0]?.heads.size ?? 0) > delivery.entries.length) meet('backlog')
          const targets = delivery.entries.map(({ target }) => target)
          if (new Set(targets).size < targets.length) meet('second round')
          const gas = delivery.entries.reduce((sum, entry) => sum + entry.gasLimitSnapshot, 0n)
          if (gas + 25_000n > block.params.timerLaneCycles) meet('lane full')
        },
      })
    }
    const kinds = [
      'gas_below_minimum',
      'target_gone',
      'owner_unfunded',
      'timer.spent',
      'timer.rescheduled',
      'watch.cleared',
      'watch.pended',
      'cursor.moved',
      'carried',
      'clipped',
      'truncated',
      'isolated',
      'backlog',
      'second round',
      'lane full',
    ]
    for (const kind of kinds) expect([kind, (met.get(kind) ?? 0) >= 20]).toEqual([kind, true])
  })
})

describe('snapshots', () => {
  test('a restored state is the same state', () => {
    const { final } = playScript(createScript(7, 40), { shards: 1 })
    expect(timersRoot(restoreTimers(snapshotTimers(final)))).toBe(timersRoot(final))
  })
  test('records that no call could have made are refused', () => {
    const snapshot = snapshotTimers(playScript(createScript(8, 40), { shards: 1 }).final)
    const [timer] = snapshot.timers.filter((each) => each.kind === 'INTERVAL')
    if (timer === undefined) throw new Error('the history left no interval')
    expect(() => restoreTimers({ ...snapshot, timers: [timer, timer] })).toThrow(RangeError)
    expect(() => restoreTimers({ ...snapshot, timers: [{ ...timer, version: 9 }] })).toThrow(/unknown version 9/)
    expect(() => restoreTimers({ ...snapshot, timers: [{ ...timer, createdHeight: timer.dueHeight }] })).toThrow(
      RangeError,
    )
  })
})
