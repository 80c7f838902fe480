import { expect, test } from 'vitest'
import { ALL_LANES, type Caller, LOCAL_CALLER, SCOPES } from '../../core/access/caller.ts'
import { createMemoryAccessStore } from '../../testing/store/memory-access-store.ts'
import { createApiKeys } from './api-keys.ts'

const clock = { now: () => 1_000_000 }
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
