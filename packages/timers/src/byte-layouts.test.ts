/** Builds the layouts of docs/timer-bytes.md by hand, with nothing of the kernel's encoders, and compares. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import * as kernel from './index.ts'
import { A, B, C, ROOT, SmallWorld } from './kernel/small-world.suite.ts'

const H = (bytes: Uint8Array) => Buffer.from(keccak_256(bytes))
const raw = (hex: string) => Buffer.from(hex.slice(2), 'hex')
const text = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
const u = (value: bigint | number, bytes: number) =>
  Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(bytes * 2, '0'),
    'hex',
  )
const ascii = (letters: string) => Buffer.from(letters, 'ascii')
const join = (...parts: Uint8Array[]) => Buffer.concat(parts)
const KINDS = { HEIGHT: 0, STATE_WATCH: 1, INTERVAL: 2 }

const keysOf = (keys: readonly string[]) =>
  join(u(keys.length, 4), ...keys.map((key) => join(u(raw(key).length, 4), raw(key))))

function recordOf(timer: kernel.Timer): Buffer {
  const due = timer.dueHeight === null ? u(0, 1) : join(u(1, 1), u(timer.dueHeight, 8))
  const who = join(raw(timer.owner), raw(timer.target), raw(timer.timerId))
  const terms = join(u(timer.gasLimit, 8), u(timer.bidFp, 16), u(timer.fifoRank, 8), u(timer.fireSeq, 4))
  const life = join(u(timer.version, 1), u(timer.createdHeight, 8), due)
  const payload = join(u(raw(timer.payload).length, 4), raw(timer.payload))
  const start = join(u(KINDS[timer.kind], 1), who, terms, life, payload)
  if (timer.kind === 'HEIGHT') return start
  if (timer.kind === 'INTERVAL') return join(start, u(timer.everyBlocks, 4), u(timer.failures, 4))
  const { matched } = timer
  const found = matched === null ? u(0, 1) : join(u(matched.truncated ? 2 : 1, 1), keysOf(matched.keys))
  return join(start, keysOf(timer.watchKeys), found)
}

/** Every section has something in it. */
function createWorld(): SmallWorld {
  let known = kernel.createTimerState({ chainId: 5n, targets: 'known' })
  for (const target of [A, B]) known = kernel.addTarget(known, target)
  const params = { maxWatchMatchesPerBlock: 1, isolateUpdates: true, maxFiresPerBlock: 2, maxMatchedKeys: 1 }
  const world = new SmallWorld(params, known)
  world.set({ dueHeight: 1, payload: '0xc0ffee', bidFp: 7 })
  world.set({ everyBlocks: 1, target: B, clientNonce: 3 })
  world.set({ watchKeys: [`${C}01`, C], target: B, payload: '0x02' })
  const late = world.set({ dueHeight: 9, target: B, clientNonce: 4 }, A)
  world.open().close({ modifiedKeys: [`${C}01`, `${C}02`, `${C}03`] })
  world.open().close()
  world.open()
  world.cancel(late, A, B)
  world.update({ target: B, timerId: world.set({ dueHeight: 8, target: B }), payload: '0x05' }, B)
  return world
}

function leavesOf({ state }: SmallWorld): [Buffer, Buffer][] {
  const s = kernel.snapshotTimers(state)
  const leaf = (section: string, name: Uint8Array, value: Uint8Array): [Buffer, Buffer] => [
    join(ascii(section), name),
    Buffer.from(value),
  ]
  return [
    ...s.timers.map((timer) => leaf('t0', raw(timer.timerId), recordOf(timer))),
    ...s.timers.flatMap((timer) =>
      timer.dueHeight === null
        ? []
        : [leaf('t1', join(u(timer.dueHeight, 8), raw(timer.target), raw(timer.timerId)), u(1, 1))],
    ),
    ...s.timers.flatMap((timer) =>
      timer.kind === 'STATE_WATCH'
        ? timer.watchKeys.map((key) =>
            leaf('t2', join(u(raw(key).length, 1), raw(key), raw(timer.timerId)), raw(timer.target)),
          )
        : [],
    ),
    ...s.cursors.map(([target, cursor]) => leaf('t3', raw(target), u(cursor, 12))),
    ...s.ownerCounters.map(([owner, counter]) => leaf('t4', raw(owner), u(counter, 9))),
    ...s.nonces.map(([id, spent]) => leaf('t5', raw(id), spent === null ? u(0, 1) : join(u(1, 1), raw(spent)))),
    ...s.tombstones.map((t) => leaf('t6', raw(t.timerId), join(raw(t.owner), raw(t.target), u(t.height, 8)))),
    ...s.isolated.map(([id, height]) => leaf('t7', raw(id), u(height, 8))),
    ...(s.targets ?? []).map((target) => leaf('t8', raw(target), u(1, 1))),
    leaf('t9', Buffer.alloc(0), join(u(s.chainId, 8), u(s.height, 8), u(s.nextRank, 9))),
    ...s.carriedKeys.map(([key, since]) => leaf('ta', raw(key), u(since, 8))),
  ]
}

/** The radix tree straight from its definition: split at the first bit in which any two paths differ. */
function rootOf(leaves: readonly { path: Buffer; value: Buffer }[]): Buffer {
  const [only] = leaves
  if (only === undefined) return Buffer.alloc(32)
  if (leaves.length === 1) return H(join(u(0, 1), only.path, only.value))
  const bitOf = (path: Buffer, bit: number) => ((path[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1
  let bit = 0
  while (new Set(leaves.map(({ path }) => bitOf(path, bit))).size === 1) bit += 1
  const side = (value: number) => rootOf(leaves.filter(({ path }) => bitOf(path, bit) === value))
  return H(join(u(1, 1), u(bit, 1), side(0), side(1)))
}

describe('docs/timer-bytes.md', () => {
  test('ids', () => {
    const id = H(join(H(ascii('cip5/timer/v1')), u(1, 8), raw(A), raw(B), u(1, 1), u(9, 8)))
    expect(kernel.timerIdOf({ chainId: 1n, owner: A, target: B, source: 'client', n: 9n })).toBe(text(id))
    const fire = { chainId: 1n, height: 77n, parentStateRoot: ROOT, timerId: text(id), fireSeq: 4 }
    const name = join(H(ascii('cip5/deliver/v1')), u(1, 8), u(77, 8), raw(ROOT), id, u(4, 4))
    expect(kernel.deliverIdOf(fire)).toBe(text(H(name)))
    expect(kernel.fireKeyOf(text(id), 4)).toBe(text(H(join(id, u(4, 4)))))
  })

  test('mailbox entries', () => {
    const world = new SmallWorld({ maxMatchedKeys: 1 })
    world.set({ watchKeys: [C], payload: '0xc0ffee', bidFp: 3 })
    world.set({ dueHeight: 1, target: B })
    const { entries } = world.open().close({ modifiedKeys: [`${C}01`, `${C}02`] })
    expect(entries).toHaveLength(2)
    for (const entry of entries) {
      const { kind, dueHeight, matched } = entry.triggerCtx
      const keys = matched?.keys ?? []
      const bytes = join(
        ...[raw(entry.deliverId), u(entry.height, 8), raw(entry.timerId), u(entry.fireSeq, 4)],
        ...[raw(entry.owner), raw(entry.target), u(entry.gasLimitSnapshot, 8), u(entry.bidSnapshot, 16)],
        ...[u(KINDS[kind], 1), u(dueHeight, 8), u(keys.length, 2)],
        ...keys.map((key) => join(u(raw(key).length, 4), raw(key))),
        ...[u(matched?.truncated ? 1 : 0, 1), u(raw(entry.payloadSnapshot).length, 4), raw(entry.payloadSnapshot)],
      )
      expect(kernel.encodeEntry(entry)).toBe(text(bytes))
      expect(kernel.entryDigestOf(entry)).toBe(text(H(bytes)))
    }
  })

  test('leaves and root', () => {
    const world = createWorld()
    const leaves = leavesOf(world)
    const sections = new Set(leaves.map(([key]) => key.subarray(0, 2).toString()))
    expect([...sections].sort()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9', 'ta'])
    expect(kernel.timersRoot(world.state)).toBe(text(rootOf(leaves.map(([key, value]) => ({ path: H(key), value })))))
  })

  test('snapshot stream', () => {
    const { state } = createWorld()
    const s = kernel.snapshotTimers(state)
    const opening = join(ascii('drvtimer'), u(1, 2))
    let seal = H(opening)
    const frame = (kind: number, ...items: Uint8Array[]) => {
      const body = join(...items)
      const sealed = join(u(kind, 1), u(body.length, 4), body)
      seal = H(join(seal, sealed))
      return join(sealed, seal)
    }
    const items = s.timers.length + s.cursors.length + s.ownerCounters.length + s.nonces.length + s.tombstones.length
    const stream = join(
      opening,
      frame(1, u(s.chainId, 8), u(s.height, 8), u(s.nextRank, 9), u(1, 1)),
      frame(2, ...s.timers.map(recordOf)),
      frame(3, ...s.cursors.map(([target, cursor]) => join(raw(target), u(cursor, 12)))),
      frame(4, ...s.ownerCounters.map(([owner, counter]) => join(raw(owner), u(counter, 9)))),
      frame(5, ...s.nonces.map(([id, spent]) => join(raw(id), spent === null ? u(0, 1) : join(u(1, 1), raw(spent))))),
      frame(6, ...s.tombstones.map((t) => join(raw(t.timerId), raw(t.owner), raw(t.target), u(t.height, 8)))),
      frame(7, ...s.isolated.map(([id, height]) => join(raw(id), u(height, 8)))),
      frame(8, ...s.carriedKeys.map(([key, since]) => join(u(raw(key).length, 4), raw(key), u(since, 8)))),
      frame(9, ...(s.targets ?? []).map(raw)),
      frame(255, u(items + s.isolated.length + s.carriedKeys.length + (s.targets?.length ?? 0), 8)),
    )
    expect(text(join(...kernel.writeSnapshot(state)))).toBe(text(stream))
  })
})
