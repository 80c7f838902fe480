import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../kernel/bytes/hex.ts'
import { deliver } from '../kernel/deliver/deliver.ts'
import { DEFAULT_PARAMS } from '../kernel/params/timer-params.ts'
import { setTimeout } from '../kernel/set/set-timer.ts'
import { A, B, ROOT } from '../kernel/small-world.suite.ts'
import { restoreTimers } from '../kernel/snapshot/restore-timers.ts'
import { snapshotTimers } from '../kernel/snapshot/timer-snapshot.ts'
import { createTimerState } from '../kernel/state/timer-state.ts'
import { findNextTime, parseCron } from './cron.ts'
import { listCronWindows } from './cron-windows.ts'
import { migrateTimer, migrateTimers, type TimeTimer } from './migrate-timers.ts'
import { afterMinutes, blocksInMinutes, everyMinutes } from './minutes.ts'

describe('minutes to blocks', () => {
  test.each([
    [1, 1_000, 60n],
    [1, 12_000, 5n],
    [1, 7_000, 9n],
    [1, 600_000, 1n],
  ])('%i minutes at %i ms a block are %i blocks', (minutes, blockTimeMs, blocks) => {
    expect(blocksInMinutes(minutes, { blockTimeMs })).toBe(blocks)
  })
  test('as a due height and as an interval', () => {
    expect(afterMinutes(2, { height: 100n, blockTimeMs: 12_000 })).toBe(110n)
    expect(everyMinutes(2n, { blockTimeMs: 12_000 })).toBe(10)
  })
  test('what is not a whole number, or leads too far, is refused', () => {
    expect(() => blocksInMinutes(0.5, { blockTimeMs: 1_000 })).toThrow(RangeError)
    expect(() => blocksInMinutes(-1, { blockTimeMs: 1_000 })).toThrow(RangeError)
    expect(() => blocksInMinutes(1, { blockTimeMs: 0 })).toThrow(RangeError)
    expect(() => everyMinutes(1n << 40n, { blockTimeMs: 1 })).toThrow(RangeError)
    expect(() => afterMinutes(1, { height: (1n << 64n) - 1n, blockTimeMs: 1_000 })).toThrow(RangeError)
  })
  test('never early: that many blocks take at least that long, one fewer does not', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        (minutes, blockTimeMs) => {
          const blocks = Number(blocksInMinutes(minutes, { blockTimeMs }))
          expect(blocks * blockTimeMs).toBeGreaterThanOrEqual(minutes * 60_000)
          if (blocks > 1) expect((blocks - 1) * blockTimeMs).toBeLessThan(minutes * 60_000)
        },
      ),
    )
  })
})

describe('no minutes at all', () => {
  test.each([0, 0n, -1, -5n, 1.5, Number.NaN])('%s is ERR_INVALID_PARAM', (minutes) => {
    const clock = { height: 10n, blockTimeMs: 1_000 }
    for (const convert of [everyMinutes, afterMinutes, blocksInMinutes]) {
      expect(() => convert(minutes, clock)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_PARAM' }))
    }
  })
})

describe('migration of time-typed timers', () => {
  const old: TimeTimer = {
    owner: A,
    target: B,
    timerId: ROOT,
    payload: '0x01',
    gasLimit: 10_000n,
    bidFp: 3n,
    fifoRank: 4n,
    fireSeq: 5,
    version: 0,
  }
  const at = { height: 100n, timestamp: 1_000n, blockTimeMs: 12_000 }

  test('a due time becomes a due height with version + 1, all else kept', () => {
    const { dueTime: _, ...kept } = { ...old, dueTime: 1_030n }
    expect(migrateTimer({ ...old, dueTime: 1_030n }, at)).toEqual({
      type: 'migrated',
      timer: { ...kept, kind: 'HEIGHT', dueHeight: 103n, version: 1, createdHeight: 100n },
    })
  })
  test('what was overdue comes due in the next block', () => {
    expect(migrateTimer({ ...old, dueTime: 5n }, at)).toMatchObject({ timer: { dueHeight: 101n } })
  })
  test('seconds become blocks', () => {
    expect(migrateTimer({ ...old, everySecs: 60n }, at)).toMatchObject({
      timer: { kind: 'INTERVAL', everyBlocks: 5, dueHeight: 105n, version: 1 },
    })
  })
  test('an unknown version is refused, and so a second migration', () => {
    expect(migrateTimer({ ...old, dueTime: 5n, version: 1 }, at)).toMatchObject({ reason: 'unknown_version' })
    expect(migrateTimer({ ...old, dueTime: 5n, version: 7 }, at)).toMatchObject({ reason: 'unknown_version' })
    expect(migrateTimer(old, at)).toMatchObject({ reason: 'no_time' })
    expect(migrateTimer({ ...old, dueTime: 5n, everySecs: 5n }, at)).toMatchObject({ reason: 'no_time' })
    expect(migrateTimer({ ...old, everySecs: 1n << 50n }, at)).toMatchObject({ reason: 'out_of_range' })
    expect(migrateTimer({ ...old, dueTime: 1n << 80n }, at)).toMatchObject({ reason: 'out_of_range' })
  })
  test('a migrated timer is a timer of today', () => {
    const migration = migrateTimer({ ...old, dueTime: 1_030n }, at)
    if (migration.type !== 'migrated') throw new Error(migration.reason)
    const blank = snapshotTimers(createTimerState({ chainId: 1n }))
    expect(restoreTimers({ ...blank, height: 100n, timers: [migration.timer] }).timers.size).toBe(1)
  })
})

describe('migration of a whole state', () => {
  const owner: Hex = `0x${'aa'.repeat(20)}`
  const at = { height: 100n, timestamp: 1_000n, blockTimeMs: 12_000 }
  const idOf = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
  const record = (n: number, time: Pick<TimeTimer, 'dueTime' | 'everySecs'>): TimeTimer => ({
    owner,
    target: owner,
    timerId: idOf(n),
    payload: '0x',
    gasLimit: 10_000n,
    bidFp: 0n,
    version: 0,
    fifoRank: BigInt(n),
    fireSeq: 0,
    ...time,
  })
  const world = setTimeout(
    createTimerState({ chainId: 1n }),
    { caller: owner, height: 90n, params: DEFAULT_PARAMS },
    { target: owner, dueHeight: 500, payload: '0x01', gasLimit: 10_000 },
  )
  if (world.type === 'refused') throw new Error(world.message)
  const today = snapshotTimers(world.state)

  test('is one call: records by time are converted, those of today stay, and all of them run', () => {
    const timers = [...today.timers, record(1, { dueTime: 1_030n }), record(2, { everySecs: 60n })]
    const migration = migrateTimers({ ...today, nextRank: 3n, timers }, at)
    if (migration.type === 'refused') throw new Error('refused')
    expect(migration.migratedIds).toEqual([idOf(1), idOf(2)])
    const { state } = migration
    expect([...state.timers.values()].map(({ version }) => version)).toEqual([1, 1, 1])
    const block = { parentStateRoot: idOf(0), modifiedKeys: [], params: DEFAULT_PARAMS }
    expect(deliver(state, { ...block, height: 105n }).entries.map(({ timerId }) => timerId)).toEqual([idOf(1), idOf(2)])
    expect(state.timers.get(today.timers[0]?.timerId ?? '0x')).toEqual(today.timers[0])
  })
  test('is all or nothing, and says which records stand in the way', () => {
    const timers = [record(1, { dueTime: 1_030n }), record(2, {}), { ...record(3, { everySecs: 60n }), version: 4 }]
    expect(migrateTimers({ ...today, timers }, at)).toEqual({
      type: 'refused',
      refusals: [
        { type: 'refused', timerId: idOf(2), reason: 'no_time' },
        { type: 'refused', timerId: idOf(3), reason: 'unknown_version' },
      ],
    })
    expect(migrateTimers({ ...today, timers: [record(1, { everySecs: 0n })] }, at).type).toBe('refused')
    expect(() => migrateTimers({ ...today, height: 200n }, at)).toThrow(RangeError)
  })
})

describe('cron lines', () => {
  const next = (line: string, after: string): string | null => {
    const parsed = parseCron(line)
    if (parsed.type !== 'cron') throw new Error(`${parsed.field} ${parsed.message}`)
    const at = findNextTime(parsed.schedule, Date.parse(after))
    return at === null ? null : new Date(at).toISOString().slice(0, 16)
  }
  test.each([
    ['* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:01'],
    ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30'],
    ['0 9 * * mon-fri', '2026-01-02T09:00:00Z', '2026-01-05T09:00'],
    ['30 8,20 1 * *', '2026-01-01T09:00:00Z', '2026-01-01T20:30'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00'],
    ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00'],
    ['0 0 * * 7', '2026-01-01T00:00:00Z', '2026-01-04T00:00'],
    ['5/20 * * * *', '2026-01-01T00:06:00Z', '2026-01-01T00:25'],
    ['0 0 1 DEC *', '2026-01-01T00:00:00Z', '2026-12-01T00:00'],
    ['0 0 31 2 *', '2026-01-01T00:00:00Z', null],
  ])('%s after %s', (line, after, expected) => {
    expect(next(line, after)).toBe(expected)
  })
  test.each([
    ['* * * *', 'line'],
    ['60 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of month'],
    ['* * * foo *', 'month'],
    ['* * * * 5-2', 'day of week'],
    ['*/0 * * * *', 'minute'],
    ['1--2 * * * *', 'minute'],
  ])('%s is refused, naming the %s', (line, field) => {
    expect(parseCron(line)).toMatchObject({ type: 'invalid', field })
  })
  test.each([
    ['* * * * fri-sun', 'day of week', '"fri-sun" ends before it begins'],
    ['*/0 * * * *', 'minute', '"*/0" has a step of 0'],
  ])('%s is refused in words that fit', (line, field, message) => {
    expect(parseCron(line)).toEqual({ type: 'invalid', field, message })
  })
  test.each([
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * sun'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    [' @Annually ', '0 0 1 1 *'],
  ])('%s is %s', (nickname, line) => {
    expect(parseCron(nickname)).toEqual(parseCron(line))
  })
  test('another nickname is refused, and the message lists the known ones', () => {
    const message = expect.stringContaining('"@reboot" is none of @hourly, @daily,')
    expect(parseCron('@reboot')).toEqual({ type: 'invalid', field: 'line', message })
  })
  test('windows begin at the first block not before the moment and end with the tolerance', () => {
    const parsed = parseCron('*/5 * * * *')
    if (parsed.type !== 'cron') throw new Error(parsed.message)
    const clock = { height: 1_000n, timestampMs: Date.parse('2026-01-01T00:03:50Z'), blockTimeMs: 12_000 }
    expect(listCronWindows(parsed.schedule, clock, 2)).toMatchObject([
      { notBeforeHeight: 1_006n, notAfterHeight: 1_010n },
      { notBeforeHeight: 1_031n, notAfterHeight: 1_035n },
    ])
    expect(listCronWindows(parsed.schedule, { ...clock, toleranceMs: 0 }, 1)).toMatchObject([
      { notBeforeHeight: 1_006n, notAfterHeight: 1_006n },
    ])
    const never = parseCron('0 0 31 2 *')
    if (never.type !== 'cron') throw new Error(never.message)
    expect(listCronWindows(never.schedule, clock, 3)).toEqual([])
  })
})
