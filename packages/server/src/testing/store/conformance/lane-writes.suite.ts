/** Fenced writes: all of a lane or nothing of it, and never at a neighbour's cost. */
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../../core/lane/lane.ts'
import type { LaneWrite } from '../../../ports/lane-write.ts'
import type { Store } from '../../../ports/store.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyAttempt,
  registerLane,
  toAllocated,
  toConfirmed,
  toSave,
  toTracking,
  toWrite,
  write,
} from '../samples.ts'
import type { GetStore, StoreUnderTest } from './store.suite.ts'

/** A lane with a lease and one queued transaction, and the write that allocates a nonce to it. */
async function prepare(store: Store, nonce = 0): Promise<{ lease: Lease; write: LaneWrite; id: string }> {
  const lane = await registerLane(store)
  const lease = await acquire(store, lane)
  const queued = await acceptOne(store, lane)
  const saves = [toSave(queued, toAllocated(queued, nonce, lease), 'nonce.allocated')]
  const nonces = [{ nonce, status: 'RESERVED', txId: queued.id }] as const
  return { lease, id: queued.id, write: toWrite(lease, saves, { nonces, cursor: { expected: null, next: nonce + 1 } }) }
}

/** Everything of a lane that a write could have changed. */
async function look(store: Store, lease: Lease, id: string): Promise<unknown> {
  return [await store.findTransaction(id), await store.loadLane(lease.lane), await store.readHistory(id)]
}

async function expectNoTrace(store: Store, bad: LaneWrite, id: string, type: string): Promise<void> {
  const [before, neighbour] = [await look(store, bad.lease, id), await prepare(store)]
  const results = await store.writeLanes([bad, neighbour.write])
  expect(results).toMatchObject([{ type }, { type: 'written', versions: [2] }])
  expect(await look(store, bad.lease, id)).toEqual(before)
}

export function describeLaneWrites(get: GetStore): void {
  describe('lane writes', () => {
    test('a write moves the cursor, takes the nonce, keeps the bytes and the history', async () => {
      const { store } = get()
      const { lease, id, write: first } = await prepare(store, 7)
      expect(await store.writeLanes([first])).toEqual([{ type: 'written', versions: [2] }])
      const allocated = { ...first.saves[0]?.tx, version: 2 }
      expect(await store.findTransaction(id)).toEqual(allocated)
      expect(await store.loadLane(lease.lane)).toEqual({
        cursor: 8,
        inFlight: [allocated],
        recyclable: [],
        window: null,
        seen: { balance: null, txCost: null, problems: [] },
      })
      expect((await store.readHistory(id)).at(-1)).toMatchObject({
        type: 'nonce.allocated',
        fromState: 'QUEUED',
        toState: 'ALLOCATED',
        subState: 'signed',
        nodeId: lease.nodeId,
        fence: lease.fence,
        count: 1,
      })
    })

    test('a paused lane takes no nonce, whatever its owner believes; all else is written, and after a resume this too', async () => {
      const { store } = get()
      const { lease, id, write: first } = await prepare(store)
      const note = { type: 'signer.paused', cause: 'operator', detail: {} }
      expect(await store.updateSigner(lease.lane, { paused: true }, note)).toMatchObject({ paused: true })
      await expectNoTrace(store, first, id, 'stale')
      const other = { type: 'gap.found', cause: null, detail: {} }
      expect(await store.writeLanes([toWrite(lease, [], { notes: [other] })])).toMatchObject([{ type: 'written' }])
      expect(await store.updateSigner(lease.lane, { label: 'x' }, note)).toMatchObject({ paused: true })
      expect(await store.updateSigner(lease.lane, { paused: false }, note)).toMatchObject({ paused: false, label: 'x' })
      expect(await store.writeLanes([first])).toMatchObject([{ type: 'written' }])
    })

    test('an empty call and an empty write are no work', async () => {
      const { store } = get()
      const lease = await acquire(store, await registerLane(store))
      expect(await store.writeLanes([])).toEqual([])
      expect(await store.writeLanes([toWrite(lease, [])])).toEqual([{ type: 'written', versions: [] }])
    })

    test('two writes of one lane in a call, or one transaction twice, are a bug', async () => {
      const { store } = get()
      const { write: one } = await prepare(store)
      await expect(store.writeLanes([one, one])).rejects.toThrow(/two writes/)
      await expect(store.writeLanes([{ ...one, saves: [...one.saves, ...one.saves] }])).rejects.toThrow(/twice/)
      const { lease } = await prepare(store)
      await expect(store.writeLanes([{ ...one, lease }])).rejects.toThrow(/not of/)
    })

    describeFences(get)
    describeStaleness(get)
    describeRefusals(get)
    describeNonces(get)
    describeAmendments(get)
  })
}

function describeFences(get: () => StoreUnderTest): void {
  test.each([
    ['another node', (lease: Lease) => ({ ...lease, nodeId: 'node-b' })],
    ['an older fence', (lease: Lease) => ({ ...lease, fence: lease.fence - 1 })],
    ['a fence that is yet to come', (lease: Lease) => ({ ...lease, fence: lease.fence + 1 })],
  ])('a lease of %s writes nothing [G5]', async (_name, change) => {
    const { store } = get()
    const { write: good, id, lease } = await prepare(store)
    await expectNoTrace(store, { ...good, lease: change(lease) }, id, 'fenced')
  })

  test('an expired lease, a released one and one that was taken over write nothing [G5]', async () => {
    const { store, elapse } = get()
    const [expired, released] = [await prepare(store), await prepare(store)]
    await store.releaseLeases([released.lease])
    await expectNoTrace(store, released.write, released.id, 'fenced')
    await elapse(60_001)
    await expectNoTrace(store, expired.write, expired.id, 'fenced')
    await acquire(store, expired.lease.lane, 'node-b')
    await expectNoTrace(store, expired.write, expired.id, 'fenced')
  })

  test('a lane that is not registered is nobody’s', async () => {
    const { store } = get()
    const lease = { lane: { chainId: 1, signer: `0x${'00'.repeat(20)}` }, nodeId: 'a', fence: 1 } as const
    expect(await store.writeLanes([toWrite(lease, [])])).toEqual([{ type: 'fenced' }])
  })
}

function describeStaleness(get: () => StoreUnderTest): void {
  test('a repeated write is stale, so a retry after an unknown end is harmless [G3]', async () => {
    const { store } = get()
    const { write: once, id } = await prepare(store)
    await store.writeLanes([once])
    await expectNoTrace(store, once, id, 'stale')
  })

  test('one old version makes the whole lane stale', async () => {
    const { store } = get()
    const { write: good, id, lease } = await prepare(store)
    const other = await acceptOne(store, lease.lane)
    const old = toSave({ ...other, version: 9 }, toAllocated(other, 1, lease), 'nonce.allocated')
    await expectNoTrace(store, { ...good, saves: [...good.saves, old] }, id, 'stale')
    expect(await store.findTransaction(other.id)).toEqual(other)
  })

  test('a transaction that does not exist is stale', async () => {
    const { store } = get()
    const { write: good, id, lease } = await prepare(store)
    const ghost = { ...(await acceptOne(store, lease.lane)), id: '01890000-0000-7000-8000-000000000000' }
    await expectNoTrace(store, { ...good, saves: [...good.saves, toSave(ghost, ghost)] }, id, 'stale')
  })

  test.each([[3], [0]])('a cursor that is not at %d is stale', async (expected) => {
    const { store } = get()
    const { write: good, id } = await prepare(store)
    await expectNoTrace(store, { ...good, cursor: { expected, next: 4 } }, id, 'stale')
  })

  test('a cursor that is there already is stale for who thinks there is none', async () => {
    const { store } = get()
    const { write: good, lease, id } = await prepare(store)
    await store.writeLanes([toWrite(lease, [], { cursor: { expected: null, next: 5 } })])
    await expectNoTrace(store, good, id, 'stale')
  })

  test('what is final never changes [G3]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const allocated = await allocateOne(store, lease, 0)
    const [confirmed] = await write(store, lease, [[allocated, toConfirmed(allocated)]])
    if (confirmed === undefined) throw new Error('nothing was confirmed')
    const back = toSave(confirmed, toTracking({ ...allocated, version: confirmed.version }), 'undone')
    await expectNoTrace(store, toWrite(lease, [back]), confirmed.id, 'stale')
    expect(await store.amend(back, [])).toEqual({ type: 'stale' })
  })
}

function describeRefusals(get: () => StoreUnderTest): void {
  test('a cursor never goes back [G2]', async () => {
    const { store } = get()
    const { write: good, lease, id } = await prepare(store)
    await store.writeLanes([toWrite(lease, [], { cursor: { expected: null, next: 5 } })])
    await expectNoTrace(store, { ...good, cursor: { expected: 5, next: 4 } }, id, 'refused')
    expect(await store.writeLanes([{ ...good, cursor: { expected: 5, next: 5 } }])).toMatchObject([{ type: 'written' }])
  })

  test('bytes that exist already are refused', async () => {
    const { store } = get()
    const { write: good, lease, id } = await prepare(store)
    const known = (await allocateOne(store, lease, 9)).attempts[0]
    const [save] = good.saves
    if (known === undefined || save === undefined) throw new Error('there must be an attempt and a save')
    const copied = { ...save, tx: { ...save.tx, attempts: [known] } }
    await expectNoTrace(store, { ...good, saves: [copied] }, id, 'refused')
  })

  test('two live transactions never share a nonce [G1]', async () => {
    const { store } = get()
    const { write: good, lease, id } = await prepare(store, 3)
    const holder = await allocateOne(store, lease, 3)
    await expectNoTrace(store, { ...good, nonces: [] }, id, 'refused')
    await write(store, lease, [[holder, toConfirmed(holder)]])
    await expectNoTrace(store, good, id, 'refused')
  })

  test('only the guilty one of many is refused', async () => {
    const { store } = get()
    const prepared = await Promise.all(Array.from({ length: 9 }, () => prepare(store)))
    const writes = prepared.map(({ write: good, lease }, index) => {
      const twice = [anyAttempt(0), anyAttempt(0)].map((attempt) => ({
        ...attempt,
        hash: `0x${'ab'.repeat(32)}` as const,
      }))
      const [save] = good.saves
      if (index !== 6 || save === undefined) return good
      return toWrite(lease, [{ ...save, tx: { ...save.tx, attempts: twice } }])
    })
    const types = (await store.writeLanes(writes)).map((result) => result.type)
    expect(types).toEqual(writes.map((_, index) => (index === 6 ? 'refused' : 'written')))
  })
}

function describeNonces(get: () => StoreUnderTest): void {
  test('a nonce changes hands only through RECYCLABLE [G1]', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const [first, second] = [await acceptOne(store, lease.lane), await acceptOne(store, lease.lane)]
    const mark = async (status: 'RESERVED' | 'USED' | 'RECYCLABLE', txId: string | null): Promise<string | undefined> =>
      (await store.writeLanes([toWrite(lease, [], { nonces: [{ nonce: 5, status, txId }] })]))[0]?.type
    expect(await mark('RESERVED', first.id)).toBe('written')
    expect(await mark('RESERVED', second.id)).toBe('refused')
    expect(await mark('USED', second.id)).toBe('refused')
    expect(await mark('RECYCLABLE', null)).toBe('written')
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([5])
    expect(await mark('RESERVED', second.id)).toBe('written')
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([])
    expect(await mark('USED', second.id)).toBe('written')
    expect(await mark('USED', null)).toBe('written')
    expect(await mark('RESERVED', first.id)).toBe('refused')
  })

  test('recyclable nonces come lowest first, and the last mark of a nonce counts', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const nonces = [9, 2, 7, 5].map((nonce) => ({ nonce, status: 'RECYCLABLE', txId: null }) as const)
    await store.writeLanes([toWrite(lease, [], { nonces })])
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([2, 5, 7, 9])
    const marks = [
      { nonce: 2, status: 'RESERVED', txId: null },
      { nonce: 2, status: 'USED', txId: null },
    ] as const
    await store.writeLanes([toWrite(lease, [], { nonces: marks })])
    expect((await store.loadLane(lease.lane)).recyclable).toEqual([5, 7, 9])
  })
}

function describeAmendments(get: () => StoreUnderTest): void {
  test('an operator needs no lease, only the version that was seen', async () => {
    const { store } = get()
    const queued = await acceptOne(store, await registerLane(store))
    const save = {
      ...toSave(queued, { ...queued, suspended: true, subState: 'suspended' }),
      notes: [{ type: 'operator.suspended', cause: 'operator', detail: { actor: 'ann', reason: 'check' } }],
    }
    expect(await store.amend(save, [])).toEqual({ type: 'written', version: 2 })
    expect(await store.amend(save, [])).toEqual({ type: 'stale' })
    expect(await store.findTransaction(queued.id)).toEqual({ ...save.tx, version: 2 })
    expect((await store.readHistory(queued.id)).at(-1)).toMatchObject({
      type: 'operator.suspended',
      cause: 'operator',
      nodeId: null,
      fence: null,
      detail: { actor: 'ann', reason: 'check' },
      fromState: 'QUEUED',
      toState: 'QUEUED',
    })
  })

  test('an amendment that gives up a nonce says what becomes of it', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const allocated = await allocateOne(store, lease, 3)
    const { id, intent, version, createdAt, attempts } = allocated
    const base = {
      id,
      intent,
      version,
      createdAt,
      attempts,
      subState: 'cancelled',
      error: null,
      suspended: false,
    } as const
    const dropped = { ...base, state: 'CANCELLED', nonce: null, finalAt: 1_700_000_009_000 } as const
    const save = toSave(allocated, dropped, 'operator.cancelled')
    const mark = { nonce: 3, status: 'RECYCLABLE', txId: null } as const
    expect(await store.amend(save, [mark])).toEqual({ type: 'written', version: allocated.version + 1 })
    expect(await store.loadLane(lease.lane)).toMatchObject({
      cursor: null,
      inFlight: [],
      recyclable: [3],
      window: null,
    })
  })

  test('an amendment that the rules forbid is a bug and leaves no trace', async () => {
    const { store } = get()
    const lease = await acquire(store, await registerLane(store))
    const [allocated, queued] = [await allocateOne(store, lease, 3), await acceptOne(store, lease.lane)]
    const save = toSave(queued, { ...queued, suspended: true }, 'operator.suspended')
    const theft = { nonce: 3, status: 'USED', txId: queued.id } as const
    await expect(store.amend(save, [theft])).rejects.toThrow(/refused/)
    expect(await store.findTransaction(queued.id)).toEqual(queued)
    expect((await store.loadLane(lease.lane)).inFlight).toEqual([allocated])
  })

  test('of an amendment and a lane write on the same version one wins', async () => {
    const { store } = get()
    const { write: good, id } = await prepare(store)
    const [save] = good.saves
    const queued = await store.findTransaction(id)
    if (save === undefined || queued === null) throw new Error('there must be a save')
    const amendment = toSave(queued, { ...queued, suspended: true }, 'operator.suspended')
    const [[written], amended] = await Promise.all([store.writeLanes([good]), store.amend(amendment, [])])
    expect([written?.type, amended.type].sort()).toEqual(['stale', 'written'])
  })
}
