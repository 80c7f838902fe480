import { expect, test } from 'vitest'
import { ALL_LANES, type Caller, LOCAL_CALLER, SCOPES } from '../../core/access/caller.ts'
import { FAST } from '../../core/lane/policy.ts'
import { createReleaseKey } from '../../engine/reservations/release-key.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryAccessStore } from '../../testing/store/memory-access-store.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { anyId, anyLane } from '../../testing/store/samples.ts'
import { createApiKeys } from './api-keys.ts'
import { createKeyLookup } from './key-lookup.ts'

const clock = createManualClock()
const GRANT = {
  name: 'ops',
  scopes: SCOPES,
  signers: null,
  chains: null,
  rate: null,
  maxTxFeeWei: null,
  expiresAt: null,
}
const NOBODY_YET: Caller = { ...LOCAL_CALLER, name: 'tests' }

test('a key revoked while it creates another creates none: no token is returned or valid', async () => {
  const store = createMemoryAccessStore({ clock })
  const { key: maker } = await createApiKeys({
    store,
    clock,
    withoutKey: true,
    releaseReservations: async () => {},
  }).create(NOBODY_YET, GRANT)
  const keys = createApiKeys({
    store: {
      ...store,
      insertKey: async (key) => {
        await store.revokeKey(maker.id, { actor: 'operator', reach: ALL_LANES, evenLast: true })
        return store.insertKey(key)
      },
    },
    clock,
    withoutKey: false,
    releaseReservations: async () => {},
  })
  const caller: Caller = { ...NOBODY_YET, keyId: maker.id, name: maker.name }
  await expect(keys.create(caller, { ...GRANT, name: 'back door' })).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await store.hasActiveKey()).toBe(false)
})

test('a revocation is answered when no node trusts the key any more, though the notice of it was lost', async () => {
  const store = createMemoryAccessStore({ clock })
  const keys = createApiKeys({ store, clock, withoutKey: true, releaseReservations: async () => {} })
  const { key } = await keys.create(NOBODY_YET, GRANT)
  const lookup = createKeyLookup({ store, clock })
  await lookup.find(key.id)
  let isAnswered = false
  const revoked = keys.revoke(NOBODY_YET, key.id, { evenLast: true }).then(() => {
    isAnswered = true
  })
  const isTrusted = async () => (await lookup.find(key.id))?.revokedAt === null
  const seen: [boolean, boolean][] = []
  for (let ms = 0; ms < 1_000; ms += 20) {
    await clock.advance(20)
    seen.push([await isTrusted(), isAnswered])
  }
  await revoked
  expect(seen.at(0)).toEqual([true, false])
  expect(seen.at(-1)).toEqual([false, true])
  expect(seen).not.toContainEqual([true, true])
})

test('a nonce reserved between the revocation and its answer, on a node that still trusts the key, is given back too', async () => {
  const lanes = createMemoryStore({ clock })
  const lane = anyLane()
  await lanes.registerSigners([{ lane, policy: FAST, label: null }])
  const store = createMemoryAccessStore({ clock })
  const releaseReservations = createReleaseKey(lanes)
  const keys = createApiKeys({ store, clock, withoutKey: true, releaseReservations })
  const { key } = await keys.create(NOBODY_YET, GRANT)
  const lookup = createKeyLookup({ store, clock })
  await lookup.find(key.id)
  const reserve = async () => {
    if ((await lookup.find(key.id))?.revokedAt !== null) return
    const asked = { lane, ttlMs: 600_000, label: null, requestId: null, key: { id: key.id, holder: 'ops' } }
    await lanes.insertReservations({ ...asked, items: [{ id: anyId(), lockOwner: 'digest' }] })
  }
  const listOpen = async () =>
    (await lanes.readLaneRequests(lane)).reservations.filter(({ state }) => state !== 'RELEASED')
  await reserve()
  let isAnswered = false
  const revoked = keys.revoke(NOBODY_YET, key.id, { evenLast: true }).then(() => {
    isAnswered = true
  })
  await clock.advance(20)
  expect(await listOpen()).toEqual([])
  let late = 0
  while (!isAnswered) {
    await reserve()
    late = Math.max(late, (await listOpen()).length)
    await clock.advance(20)
  }
  await revoked
  expect(late).toBeGreaterThan(0)
  expect(await listOpen()).toEqual([])
})
