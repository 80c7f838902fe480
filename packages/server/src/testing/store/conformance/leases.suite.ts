/** Leases: one owner at a time, and a fence that grows with every change of hands. */
import { describe, expect, test } from 'vitest'
import { laneKey } from '../../../core/lane/lane.ts'
import { acceptOne, acquire, anyLane, anyNote, registerLane } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const TTL_MS = 60_000

export function describeLeases(get: GetStore): void {
  describe('leases', () => {
    test('a free lane is taken once, with fence 1', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      expect(await store.acquireLeases('a', [lane], TTL_MS)).toEqual([{ lane, nodeId: 'a', fence: 1 }])
      expect(await store.acquireLeases('b', [lane], TTL_MS)).toEqual([])
      expect(await store.acquireLeases('a', [lane], TTL_MS)).toEqual([])
    })

    test('taking an expired lease returns its last owner; a released one has none', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      await acquire(store, lane, 'a', TTL_MS)
      await elapse(TTL_MS)
      const [lease] = await store.acquireLeases('b', [lane], TTL_MS)
      expect(lease).toEqual({ lane, nodeId: 'b', fence: 2, takenFrom: 'a' })
      if (lease !== undefined) await store.releaseLeases([lease])
      expect(await store.acquireLeases('c', [lane], TTL_MS)).toEqual([{ lane, nodeId: 'c', fence: 3 }])
    })

    test('of many at once exactly one gets it [G5]', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const nodes = Array.from({ length: 8 }, (_, index) => `racer-${index}`)
      const taken = (await Promise.all(nodes.map((node) => store.acquireLeases(node, [lane], TTL_MS)))).flat()
      expect(taken).toHaveLength(1)
      expect(taken[0]?.fence).toBe(1)
    })

    test('lanes that others hold, or that nobody registered, are passed over', async () => {
      const { store } = get()
      const [mine, theirs] = [await registerLane(store), await registerLane(store)]
      await acquire(store, theirs, 'other')
      const leases = await store.acquireLeases('a', [theirs, mine, mine, anyLane()], TTL_MS)
      expect(leases.map((lease) => lease.lane)).toEqual([mine])
      expect(await store.acquireLeases('a', [], TTL_MS)).toEqual([])
    })

    test('a lane that sends privately is taken only by a node with a send endpoint for it', async () => {
      const { store } = get()
      const [hidden, open] = [await registerLane(store), await registerLane(store)]
      const note = anyNote('signer.changed')
      expect(await store.setSendsPrivately([hidden, anyLane()], true, note)).toEqual([hidden])
      expect(await store.setSendsPrivately([hidden], true, note)).toEqual([])
      expect(await store.setSendsPrivately([], true, note)).toEqual([])
      const read = async () => (await store.listSigners()).find(({ lane }) => lane.signer === hidden.signer)
      expect(await read()).toMatchObject({ sendsPrivately: true })
      expect(await store.listLaneStatus({ lane: hidden })).toMatchObject([{ signer: { sendsPrivately: true } }])
      expect(await store.updateSigner(hidden, { label: 'x' }, note)).toMatchObject({ sendsPrivately: true })
      const taken = await store.acquireLeases('a', [hidden, open], TTL_MS)
      expect(taken.map(({ lane }) => lane)).toEqual([open])
      const [lease] = await store.acquireLeases('b', [hidden], TTL_MS, [hidden])
      expect(lease).toMatchObject({ lane: hidden, nodeId: 'b' })
      if (lease !== undefined) await store.releaseLeases([lease])
      expect(await store.setSendsPrivately([hidden], false, note)).toEqual([hidden])
      expect((await read())?.sendsPrivately).toBeUndefined()
      expect(await store.acquireLeases('c', [hidden], TTL_MS)).toMatchObject([{ lane: hidden, nodeId: 'c' }])
    })

    test('an expired lease can be taken by anyone, its owner too, and the fence grows [G5]', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      await acquire(store, lane, 'a', TTL_MS)
      await elapse(TTL_MS + 1)
      expect(await acquire(store, lane, 'b', TTL_MS)).toMatchObject({ nodeId: 'b', fence: 2 })
      await elapse(TTL_MS + 1)
      expect(await acquire(store, lane, 'b', TTL_MS)).toMatchObject({ nodeId: 'b', fence: 3 })
    })

    test('a renewal keeps the fence and extends only what has not expired', async () => {
      const { store, elapse } = get()
      const [kept, lost] = [await registerLane(store), await registerLane(store)]
      await acquire(store, lost, 'renewer', TTL_MS / 2)
      const lease = await acquire(store, kept, 'renewer', TTL_MS)
      await elapse(TTL_MS / 2 + 1_000)
      expect(await store.renewLeases('renewer', TTL_MS)).toEqual([{ ...lease, wantedBy: null }])
      await elapse(TTL_MS / 2 + 1_000)
      expect(await store.acquireLeases('b', [kept], TTL_MS)).toEqual([])
      expect(await store.renewLeases('nobody', TTL_MS)).toEqual([])
    })

    test('a released lane is free at once; a release that is too late changes nothing', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const first = await acquire(store, lane, 'a')
      await store.releaseLeases([{ ...first, nodeId: 'b' }])
      expect(await store.acquireLeases('b', [lane], TTL_MS)).toEqual([])
      await store.releaseLeases([first])
      const second = await acquire(store, lane, 'b')
      expect(second.fence).toBe(2)
      await store.releaseLeases([first])
      expect((await store.listLeases()).find((lease) => laneKey(lease.lane) === laneKey(lane))).toEqual(second)
      await store.releaseLeases([])
    })

    test('the owner learns who asked for its lane, until it changes hands', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane, 'asked')
      await store.requestLeases('asked', [lane])
      expect(await store.renewLeases('asked', TTL_MS)).toEqual([{ ...lease, wantedBy: null }])
      await store.requestLeases('asker', [lane, anyLane()])
      expect(await store.renewLeases('asked', TTL_MS)).toEqual([{ ...lease, wantedBy: 'asker' }])
      await store.releaseLeases([lease])
      await acquire(store, lane, 'asker')
      expect(await store.renewLeases('asker', TTL_MS)).toMatchObject([{ fence: 2, wantedBy: null }])
      await store.requestLeases('asker', [])
    })

    test('a lane that nobody holds cannot be asked for', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      await store.requestLeases('early', [lane])
      await acquire(store, lane, 'later')
      expect(await store.renewLeases('later', TTL_MS)).toMatchObject([{ wantedBy: null }])
    })

    test('lists what is held now, and where there is work for a node', async () => {
      const { store, elapse } = get()
      const [busy, idle, others] = [await registerLane(store), await registerLane(store), await registerLane(store)]
      await acceptOne(store, busy)
      await acceptOne(store, others)
      await store.acquireLeases('worker', [busy, idle], TTL_MS)
      await acquire(store, others, 'somebody')
      expect(await store.lanesWithWork('worker')).toEqual([busy])
      await elapse(TTL_MS + 1)
      expect(await store.lanesWithWork('worker')).toEqual([])
      const held = new Set((await store.listLeases()).map((lease) => laneKey(lease.lane)))
      expect(held.has(laneKey(busy))).toBe(false)
    })
  })
}
