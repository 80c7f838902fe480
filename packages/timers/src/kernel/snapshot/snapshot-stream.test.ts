import { describe, expect, test } from 'vitest'
import { timersRoot } from '../merkle/timer-leaves.ts'
import { createScript, playScript } from '../random-script.suite.ts'
import { SmallWorld } from '../small-world.suite.ts'
import { createTimerState, type TimerState } from '../state/timer-state.ts'
import { createFrameWriter, SnapshotError } from './snapshot-frames.ts'
import { createSnapshotReader, readSnapshot, writeSnapshot } from './snapshot-stream.ts'

const { final } = playScript(createScript(8, 40), { shards: 1, rootless: true })
const stream = Buffer.concat([...writeSnapshot(final)])

function faultOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof SnapshotError) return error.code
    throw error
  }
  return 'none'
}

function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

describe('a snapshot stream', () => {
  test.each(Array.from({ length: 12 }, (_, seed) => 300 + seed))('history %i comes back as it was', (seed) => {
    const states: TimerState[] = []
    playScript(createScript(seed, 30), { shards: 1, rootless: true, inspect: (state) => states.push(state) })
    for (const state of states.filter((_, n) => n % 5 === 0)) {
      expect(timersRoot(readSnapshot(writeSnapshot(state)))).toBe(timersRoot(state))
    }
  })
  test('is the same state however its bytes are cut', () => {
    for (const size of [1, 3, 10, 11, 47, 4_096]) {
      expect(timersRoot(readSnapshot(inPieces(stream, size)))).toBe(timersRoot(final))
    }
  })
  test('is cut by the writer into many chunks of bounded size', () => {
    const world = new SmallWorld({ maxTimersPerTarget: 5_000, maxTimersPerOwner: 5_000 })
    for (let n = 0; n < 3_000; n += 1) world.set({ dueHeight: 5, payload: `0x${'ab'.repeat(100)}` })
    const chunks = [...writeSnapshot(world.state)]
    expect(chunks.length).toBeGreaterThan(12)
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(60_000)
    expect(readSnapshot(chunks).timers.size).toBe(3_000)
  })
  test('of an empty state', () => {
    for (const targets of ['any', 'known'] as const) {
      const blank = createTimerState({ chainId: 9n, targets })
      expect(timersRoot(readSnapshot(writeSnapshot(blank)))).toBe(timersRoot(blank))
      expect(readSnapshot(writeSnapshot(blank)).targets === null).toBe(targets === 'any')
    }
  })
})

describe('what cannot be read is refused', () => {
  test('any byte that changed', () => {
    for (let at = 0; at < stream.length; at += 7) {
      const changed = Uint8Array.from(stream)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      expect([at, faultOf(() => readSnapshot([changed]))]).not.toEqual([at, 'none'])
    }
  })
  test('any end that is missing', () => {
    for (let end = 0; end < stream.length; end += 11) {
      expect([end, faultOf(() => readSnapshot([stream.subarray(0, end)]))]).toEqual([end, 'truncated'])
    }
    expect(faultOf(() => readSnapshot([]))).toBe('truncated')
  })
  test('more than there should be', () => {
    expect(faultOf(() => readSnapshot([stream, Uint8Array.of(0)]))).toBe('truncated')
    expect(faultOf(() => readSnapshot([stream, stream.subarray(10)]))).toBe('corrupt')
  })
  test('other files, and newer versions, by name', () => {
    expect(faultOf(() => readSnapshot([Buffer.from('{"timers":[]}')]))).toBe('not_a_snapshot')
    const newer = Uint8Array.from(stream)
    newer[9] = 2
    expect(() => readSnapshot([newer])).toThrow('the snapshot has version 2, this reads 1')
    expect(faultOf(() => readSnapshot([newer]))).toBe('newer_version')
  })
  test('a frame or a snapshot past the limits, before it is held in memory', () => {
    const reader = createSnapshotReader({ maxFrameBytes: 1_000 })
    const huge = Uint8Array.of(...stream.subarray(0, 10), 2, 0xff, 0xff, 0xff, 0xff)
    expect(faultOf(() => reader.push(huge))).toBe('too_large')
    expect(faultOf(() => readSnapshot([stream], { maxItems: 3 }))).toBe('too_large')
  })
  test('sealed frames that say what cannot be', () => {
    const head = Buffer.concat([Buffer.alloc(25), Buffer.of(0)])
    const write = (...frames: (readonly [number, Uint8Array])[]) => {
      const writer = createFrameWriter()
      return [writer.opening, ...frames.map(([kind, body]) => writer.write({ kind, body }))]
    }
    const end = [255, Buffer.alloc(8)] as const
    expect(faultOf(() => readSnapshot(write([1, head], end)))).toBe('none')
    expect(faultOf(() => readSnapshot(write(end)))).toBe('corrupt')
    expect(faultOf(() => readSnapshot(write([1, head], [1, head], end)))).toBe('corrupt')
    expect(faultOf(() => readSnapshot(write([1, head], [77, Buffer.alloc(1)], end)))).toBe('corrupt')
    expect(faultOf(() => readSnapshot(write([1, head], [2, Buffer.alloc(9)], end)))).toBe('corrupt')
    expect(faultOf(() => readSnapshot(write([1, head], [9, Buffer.alloc(20)], end)))).toBe('corrupt')
    expect(faultOf(() => readSnapshot(write([1, head], [3, Buffer.alloc(32)], end)))).toBe('corrupt')
    const counted = [255, Buffer.from('0000000000000005', 'hex')] as const
    expect(faultOf(() => readSnapshot(write([1, head], counted)))).toBe('corrupt')
  })
})
