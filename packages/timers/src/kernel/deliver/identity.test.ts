import { describe, expect, test } from 'vitest'
import { timerIdOf } from '../set/timer-id.ts'
import { A, B, ROOT, SmallWorld } from '../small-world.suite.ts'
import { deliverIdOf, fireKeyOf } from './deliver-id.ts'
import { admitEntries } from './mailbox.ts'
import { encodeEntry, entryDigestOf, type MailboxEntry } from './mailbox-entry.ts'

const identity = { chainId: 1n, owner: A, target: B, source: 'counter', n: 0n } as const
const timerId = timerIdOf(identity)
const fire = { chainId: 1n, height: 100n, parentStateRoot: ROOT, timerId, fireSeq: 0 }

describe('R1 timer_id', () => {
  test('golden value', () => {
    expect(timerId).toBe('0x52ea1e61831ce0cc49c03897645674348973286990319629cc62d7e10422b0cd')
  })
  test('every field counts, and a client nonce never meets a counter', () => {
    const others = [
      { ...identity, chainId: 2n },
      { ...identity, owner: B },
      { ...identity, target: A },
      { ...identity, source: 'client' as const },
      { ...identity, n: (1n << 64n) - 1n },
    ]
    expect(new Set([timerId, ...others.map(timerIdOf)]).size).toBe(6)
  })
})

describe('R2 deliver_id', () => {
  test('golden value', () => {
    expect(deliverIdOf(fire)).toBe('0x5ddb72070aea148488c492c150171e68df568bfe0ae8d79593651a333d5ae701')
  })
  test('every field counts', () => {
    const others = [
      { ...fire, chainId: 2n },
      { ...fire, height: 101n },
      { ...fire, parentStateRoot: timerId },
      { ...fire, timerId: ROOT },
      { ...fire, fireSeq: 1 },
    ]
    expect(new Set([fire, ...others].map(deliverIdOf)).size).toBe(6)
  })
})

describe('R3 fire_key and entry digests', () => {
  function deliverOn(root: `0x${string}`): MailboxEntry {
    const world = new SmallWorld()
    world.set({ dueHeight: 1, payload: '0x01' })
    const [entry] = world.open().deliver({ parentStateRoot: root }).entries
    if (entry === undefined) throw new Error('nothing fired')
    return entry
  }

  test('the same logical fire keeps its fire_key on another branch, under another deliver_id [G10]', () => {
    const here = deliverOn(ROOT)
    const there = deliverOn(timerId)
    expect(here.deliverId).not.toBe(there.deliverId)
    expect(fireKeyOf(here.timerId, here.fireSeq)).toBe(fireKeyOf(there.timerId, there.fireSeq))
    expect(fireKeyOf(timerId, 1)).not.toBe(fireKeyOf(timerId, 0))
  })

  test('a repeat is dropped, other content under the same id is reported [G10]', () => {
    const entry = deliverOn(ROOT)
    const known = new Map([[entry.deliverId, entryDigestOf(entry)]])
    const forged = { ...entry, payloadSnapshot: '0x02' as const }
    expect(admitEntries(new Map(), [entry, entry, forged]).map(({ type }) => type)).toEqual([
      'admitted',
      'duplicate',
      'conflict',
    ])
    expect(admitEntries(known, [entry]).map(({ type }) => type)).toEqual(['duplicate'])
    expect(admitEntries(known, [forged])).toMatchObject([{ type: 'conflict', knownDigest: entryDigestOf(entry) }])
  })

  test('every field of an entry is inside its digest', () => {
    const entry = deliverOn(ROOT)
    const matched = { keys: [A], truncated: false }
    const others: MailboxEntry[] = [
      { ...entry, deliverId: ROOT },
      { ...entry, height: 2n },
      { ...entry, timerId: ROOT },
      { ...entry, fireSeq: 1 },
      { ...entry, owner: B },
      { ...entry, target: B },
      { ...entry, payloadSnapshot: '0x' },
      { ...entry, gasLimitSnapshot: 1n },
      { ...entry, bidSnapshot: 1n },
      { ...entry, triggerCtx: { ...entry.triggerCtx, kind: 'INTERVAL' } },
      { ...entry, triggerCtx: { ...entry.triggerCtx, dueHeight: 2n } },
      { ...entry, triggerCtx: { ...entry.triggerCtx, matched } },
      { ...entry, triggerCtx: { ...entry.triggerCtx, matched: { ...matched, truncated: true } } },
    ]
    expect(new Set([entry, ...others].map(entryDigestOf)).size).toBe(others.length + 1)
    expect(encodeEntry(entry).length % 2).toBe(0)
  })

  test('keys of any length have a digest, and their ends cannot be moved', () => {
    const entry = deliverOn(ROOT)
    const digestOf = (...keys: `0x${string}`[]) =>
      entryDigestOf({ ...entry, triggerCtx: { ...entry.triggerCtx, matched: { keys, truncated: false } } })
    const long = `${A}${'01'.repeat(70_000)}` as const
    expect(digestOf(long)).toMatch(/^0x[0-9a-f]{64}$/)
    expect(digestOf(`${A}01`, B)).not.toBe(digestOf(A, `0x01${B.slice(2)}`))
  })
})
