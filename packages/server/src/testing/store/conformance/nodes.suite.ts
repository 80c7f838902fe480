/** Nodes and signers: who is alive, and what is registered. */
import { describe, expect, test } from 'vitest'
import { FAST, STABLE } from '../../../core/lane/policy.ts'
import type { LiveNode } from '../../../ports/store.ts'
import { LATEST_SCHEMA_VERSION } from '../../../store/postgres/schema-version.ts'
import {
  acceptOne,
  acquire,
  allocateOne,
  anyLane,
  anyNew,
  anyNote,
  registerLane,
  toConfirmed,
  toStuck,
  write,
} from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeNodes(get: GetStore): void {
  describe('nodes', () => {
    test('a heartbeat answers with the time and everyone alive', async () => {
      const { store, elapse } = get()
      await store.heartbeat({ nodeId: 'n1', address: 'http://n1', ttlMs: 10_000, chains: null })
      const first = await store.heartbeat({ nodeId: 'n2', address: null, ttlMs: 10_000, chains: null })
      expect(first.nodes.map((node) => node.nodeId)).toEqual(expect.arrayContaining(['n1', 'n2']))
      expect(first.nodes.find((node) => node.nodeId === 'n1')?.address).toBe('http://n1')
      await elapse(11_000)
      const second = await store.heartbeat({ nodeId: 'n2', address: 'http://n2', ttlMs: 10_000, chains: null })
      expect(second.nodes.map((node) => node.nodeId)).not.toContain('n1')
      const again = second.nodes.find((node) => node.nodeId === 'n2')
      expect(again).toMatchObject({ address: 'http://n2', heartbeatAt: second.nowMs })
      expect(again?.startedAt).toBeLessThan(second.nowMs)
      expect(await store.listNodes()).toEqual(second.nodes)
    })

    test('a node that stops reporting is silent until it is forgotten; one that leaves in order is not', async () => {
      const { store, elapse } = get()
      const beat = (nodeId: string) =>
        store.heartbeat({ nodeId, address: 'machine:4747', ttlMs: 10_000, chains: null, silentAfterMs: 4_000 })
      await beat('crashed')
      await beat('left')
      await store.removeNode('left')
      const named = async () =>
        (await beat('other')).silent.filter(({ nodeId }) => ['crashed', 'left'].includes(nodeId))
      expect(await named()).toEqual([])
      await elapse(5_000)
      expect(await named()).toEqual([{ nodeId: 'crashed', address: 'machine:4747', heartbeatAt: expect.any(Number) }])
      await elapse(20_000)
      expect(await named()).toEqual([{ nodeId: 'crashed', address: 'machine:4747', heartbeatAt: expect.any(Number) }])
      await elapse(90_000)
      await beat('other')
      expect(await named()).toEqual([])
    })

    test('a node that was silent too long starts over, and one that stops is gone', async () => {
      const { store, elapse } = get()
      await store.heartbeat({ nodeId: 'silent', address: null, ttlMs: 1_000, chains: null })
      await elapse(11_000)
      await store.heartbeat({ nodeId: 'other', address: null, ttlMs: 1_000, chains: null })
      const back = await store.heartbeat({ nodeId: 'silent', address: null, ttlMs: 1_000, chains: null })
      expect(back.nodes.find((node) => node.nodeId === 'silent')?.startedAt).toBe(back.nowMs)
      await store.removeNode('silent')
      expect((await store.listNodes()).map((node) => node.nodeId)).not.toContain('silent')
      await store.removeNode('silent')
    })

    test('a heartbeat stores which chains the node reaches, and everyone sees the newest', async () => {
      const { store } = get()
      await store.heartbeat({ nodeId: 'far', address: null, ttlMs: 10_000, chains: [1, 4_294_967_296] })
      const near = { nodeId: 'near', address: null, ttlMs: 10_000, chains: null }
      const first = await store.heartbeat(near)
      const chainsOf = (nodes: readonly LiveNode[]) =>
        Object.fromEntries(nodes.map(({ nodeId, chains }) => [nodeId, chains]))
      expect(chainsOf(first.nodes)).toMatchObject({ far: [1, 4_294_967_296], near: null })
      await store.heartbeat({ nodeId: 'far', address: null, ttlMs: 10_000, chains: [] })
      expect(chainsOf(await store.listNodes())).toMatchObject({ far: [], near: null })
    })

    test('a ping returns schema and time', async () => {
      const { store } = get()
      const { schemaVersion, nowMs } = await store.ping()
      expect(schemaVersion).toBe(LATEST_SCHEMA_VERSION)
      expect(Number.isFinite(nowMs)).toBe(true)
    })
  })

  describe('signers', () => {
    test('registering again leaves what is there as it is', async () => {
      const { store } = get()
      const lane = anyLane()
      const policy = { ...FAST, maxFeePerGasWei: 2n ** 200n, finality: { type: 'confirmations', count: 3 } } as const
      await store.registerSigners([{ lane, policy, label: 'hot' }])
      await store.registerSigners([{ lane, policy: STABLE, label: null }])
      await store.registerSigners([])
      const record = (await store.listSigners()).find((signer) => signer.lane.signer === lane.signer)
      expect(record).toMatchObject({ lane, policy, label: 'hot', paused: false })
    })

    test('a signer is removed from all its chains, unless something of it is open, and can be brought back', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const other = { ...lane, chainId: lane.chainId + 1 }
      await store.registerSigners([{ lane: other, policy: FAST, label: 'other' }])
      const isListed = async () => (await store.listSigners()).some((each) => each.lane.signer === lane.signer)
      const lease = await acquire(store, lane)
      const sent = await allocateOne(store, lease, 0)
      expect(await store.removeSigner(lane.signer, anyNote())).toEqual({ type: 'busy', open: 1 })
      expect(await isListed()).toBe(true)
      expect((await store.listLaneStatus({ lane }))[0]?.health.lastSignedAt).toBe(sent.attempts[0]?.createdAt)
      await write(store, lease, [[sent, toConfirmed(sent)]])
      expect(await store.removeSigner(lane.signer, anyNote())).toEqual({ type: 'removed', lanes: [lane, other] })
      expect(await store.removeSigner(lane.signer, anyNote())).toEqual({ type: 'unknown' })
      expect(await isListed()).toBe(false)
      expect((await store.listLaneStatus({})).some(({ signer }) => signer.lane.signer === lane.signer)).toBe(false)
      expect((await store.listLaneStatus({ lane }))[0]?.signer.removedAt).toBeTypeOf('number')
      expect(await store.insertTransactions([anyNew(lane)])).toEqual([{ type: 'unknown_signer' }])
      await store.registerSigners([{ lane, policy: STABLE, label: null }])
      expect(await isListed()).toBe(false)
      await store.registerSigners([{ lane, policy: FAST, label: 'again' }], { restores: true })
      expect((await store.listLaneStatus({ lane }))[0]?.signer).toMatchObject({ policy: FAST, label: 'again' })
      expect((await store.insertTransactions([anyNew(lane)]))[0]?.type).toBe('inserted')
    })

    test('an update changes what it names', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      expect(await store.updateSigner(lane, { paused: true }, anyNote())).toMatchObject({
        policy: STABLE,
        paused: true,
        label: null,
      })
      expect(await store.updateSigner(lane, { label: 'x' }, anyNote())).toMatchObject({ paused: true, label: 'x' })
      expect(await store.updateSigner(lane, { policy: FAST }, anyNote())).toMatchObject({ policy: FAST, label: 'x' })
      expect(await store.updateSigner(lane, { label: null }, anyNote())).toMatchObject({
        policy: FAST,
        paused: true,
        label: null,
      })
      expect(await store.updateSigner(anyLane(), { paused: true }, anyNote())).toBeNull()
    })

    test('the status of a lane counts what waits, flies and is stuck', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      expect(await store.listLaneStatus({ lane })).toMatchObject([
        { cursor: null, queued: 0, inFlight: 0, stuck: 0, lease: null },
      ])
      const lease = await acquire(store, lane, 'a', 60_000)
      const allocated = await allocateOne(store, lease, 4)
      await write(store, lease, [[allocated, toStuck(allocated)]], { cursor: { expected: null, next: 6 } })
      await allocateOne(store, lease, 5)
      await acceptOne(store, lane)
      const [status] = await store.listLaneStatus({ lane })
      expect(status).toMatchObject({ cursor: 6, queued: 1, inFlight: 2, stuck: 1 })
      expect(status?.lease).toMatchObject({ nodeId: 'a', fence: 1, live: true })
      await elapse(60_001)
      const all = await store.listLaneStatus({})
      expect(all.find((each) => each.signer.lane.signer === lane.signer)?.lease).toMatchObject({ live: false })
      expect(await store.listLaneStatus({ lane: anyLane() })).toEqual([])
    })
  })
}
