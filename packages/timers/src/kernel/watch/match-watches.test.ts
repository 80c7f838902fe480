import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { A, B, C, SmallWorld } from '../small-world.suite.ts'
import { mergeMatchedKeys } from './match-watches.ts'

const k = (tail: string, actor: Hex = C): Hex => `${actor}${tail}` as Hex

describe('R12 candidates', () => {
  test('a height timer is due at or past its height, never only at it', () => {
    const world = new SmallWorld()
    world.set({ dueHeight: 3, payload: '0x01' })
    expect(world.open(2n).close().entries).toEqual([])
    expect(world.open(7n).close().entries).toMatchObject([{ triggerCtx: { dueHeight: 3n } }])
  })
  test('a watched prefix is a byte prefix of a changed key', () => {
    const world = new SmallWorld()
    world.set({ watchKeys: [k('0102')], payload: '0x01' })
    const fires = (key: string) => world.deliver({ modifiedKeys: [key] }).entries.length
    world.open()
    expect(fires(k('0102'))).toBe(1)
    expect(fires(k('010203'))).toBe(1)
    expect(fires(k('01'))).toBe(0)
    expect(fires(k('0103'))).toBe(0)
    expect(fires(k('0102', B))).toBe(0)
    expect(fires(k('0102').toUpperCase().replace('0X', '0x'))).toBe(1)
  })
  test('prefixes have 20 to 128 bytes, are listed once, and at most MAX_WATCH_KEYS', () => {
    const world = new SmallWorld()
    const refusal = (watchKeys: unknown) => world.refusal({ kind: 'STATE_WATCH', watchKeys })
    expect(refusal([C.slice(0, -2)])).toBe('ERR_INVALID_PARAM')
    expect(refusal([k('00'.repeat(108))])).toBeNull()
    expect(refusal([k('00'.repeat(109))])).toBe('ERR_INVALID_PARAM')
    expect(refusal([])).toBe('ERR_INVALID_PARAM')
    expect(refusal([C, C])).toBe('ERR_INVALID_PARAM')
    const many = Array.from({ length: 17 }, (_, n) => k(n.toString(16).padStart(2, '0')))
    expect(refusal(many)).toBe('ERR_INVALID_PARAM')
    expect(refusal(many.slice(1))).toBeNull()
  })
  test('a changed key that is not bytes is a mistake of the host, and heard of', () => {
    const world = new SmallWorld().open()
    for (const key of ['0x1', 'key', 'ключ', '']) {
      expect(() => world.deliver({ modifiedKeys: [C, key] })).toThrow(RangeError)
    }
    expect(() => world.deliver({ modifiedKeys: ['0x'] })).not.toThrow()
  })
  test('a timer whose prefixes overlap is matched once per key', () => {
    const world = new SmallWorld()
    world.set({ watchKeys: [C, k('01')] })
    const { entries } = world.open().close({ modifiedKeys: [k('0101')] })
    expect(entries).toMatchObject([{ triggerCtx: { matched: { keys: [k('0101')] } } }])
  })
})

describe('R14 matched keys', () => {
  test('are full, unique, sorted, cut at the bound with a mark', () => {
    const world = new SmallWorld({ maxMatchedKeys: 2 })
    world.set({ watchKeys: [C] })
    const { entries } = world.open().close({ modifiedKeys: [k('03'), k('01'), k('02'), k('01')] })
    expect(entries).toMatchObject([{ triggerCtx: { matched: { keys: [k('01'), k('02')], truncated: true } } }])
  })
  test('come out the same however the keys are spread over blocks', () => {
    const keys = fc.array(
      fc.nat(40).map((n) => k(n.toString(16).padStart(2, '0'))),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 5 }), fc.nat(10), (parts, max) => {
        const merged = parts.reduce(
          (matched, part) => mergeMatchedKeys(matched, part, max),
          mergeMatchedKeys(null, [], max),
        )
        expect(merged).toEqual(mergeMatchedKeys(null, parts.flat(), max))
      }),
    )
  })
})

describe('R15 fan-out', () => {
  function crowd(bounds: { maxWatchMatchesPerBlock: number; maxCarryKeys?: number }) {
    const world = new SmallWorld(bounds)
    for (const tail of ['01', '02', '03', '04']) world.set({ watchKeys: [k(tail)], payload: `0x${tail}` })
    return world.open()
  }
  const all = ['04', '03', '02', '01'].map((tail) => k(tail))

  test('keys go in byte order up to the bound, the rest carries to the next block', () => {
    const world = crowd({ maxWatchMatchesPerBlock: 3 })
    expect(world.close({ modifiedKeys: all }).carried.keys).toEqual([k('04')])
    expect(world.state.carriedKeys).toEqual([k('04')])
    world.open().close()
    expect(world.fired).toEqual([['0x01', '0x02', '0x03'], ['0x04']])
    expect(world.state.carriedKeys).toEqual([])
  })
  test('carried keys come before new ones, so that none waits forever', () => {
    const world = crowd({ maxWatchMatchesPerBlock: 1 })
    world.close({ modifiedKeys: [k('01'), k('04')] })
    world.open().close({ modifiedKeys: [k('01'), k('02')] })
    expect(world.fired).toEqual([['0x01'], ['0x04']])
    expect(world.state.carriedKeys).toEqual([k('01'), k('02')])
  })
  test('past MAX_CARRY_KEYS they are dropped with a record of it [G7]', () => {
    const { carried } = crowd({ maxWatchMatchesPerBlock: 1, maxCarryKeys: 1 }).close({ modifiedKeys: all })
    expect(carried).toEqual({ keys: [k('02')], clipped: { height: 1n, droppedKeys: [k('03'), k('04')] } })
  })
  test('a key with more watchers than the bound is still taken when it comes first', () => {
    const world = new SmallWorld({ maxWatchMatchesPerBlock: 2 })
    for (let n = 0; n < 5; n += 1) world.set({ watchKeys: [C] })
    world.open()
    expect(world.close({ modifiedKeys: [k('01'), k('02')] }).entries).toHaveLength(5)
    expect(world.state.carriedKeys).toEqual([k('02')])
  })
  test('keys that nobody watches take no room', () => {
    const world = crowd({ maxWatchMatchesPerBlock: 1, maxCarryKeys: 1 })
    const unwatched = Array.from({ length: 9 }, (_, n) => k(`0${n}`, A))
    expect(world.close({ modifiedKeys: [...unwatched, k('01'), k('02')] }).carried).toEqual({
      keys: [k('02')],
      clipped: null,
    })
  })
})
