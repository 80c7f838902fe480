import { expect, test } from 'vitest'
import type { AccessStore, KeyRecord } from '../../ports/access-store.ts'
import { createKeyLookup } from './key-lookup.ts'

const KEY: Omit<KeyRecord, 'id'> = {
  secretDigest: '',
  tenant: 'shop',
  name: 'shop',
  scopes: ['read'],
  signers: null,
  chains: null,
  rate: null,
  maxTxFeeWei: null,
  expiresAt: null,
  expiresInMs: null,
  createdBy: 'tests',
  createdAt: 0,
  lastUsedAt: null,
  revokedAt: null,
  revokedBy: null,
}

function createHeldStore() {
  const reads: {
    ids: readonly string[]
    answer(): void
    find(change?: Partial<KeyRecord>): void
    fail(error: Error): void
  }[] = []
  const findKeys: AccessStore['findKeys'] = (ids) =>
    new Promise((resolve, reject) => {
      reads.push({
        ids,
        answer: () => resolve({ hasKeys: true, keys: ids.map(() => null) }),
        find: (change) => resolve({ hasKeys: true, keys: ids.map((id) => ({ ...KEY, id, ...change })) }),
        fail: reject,
      })
    })
  return { reads, findKeys }
}

const time = { now: 0 }
const clock = { monotonic: () => time.now }

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('the first lookup runs at once, later ones share a read that starts after they came', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const first = lookup.find('a')
  const others = [lookup.find('a'), lookup.find('b'), lookup.find('a')]
  expect(store.reads.map(({ ids }) => ids)).toEqual([['a']])
  store.reads[0]?.answer()
  expect(await first).toBeNull()
  await settle()
  expect(store.reads.map(({ ids }) => ids)).toEqual([['a'], ['a', 'b']])
  store.reads[1]?.answer()
  expect(await Promise.all(others)).toEqual([null, null, null])
})

test('a failed read fails only those waiting for it', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const first = lookup.find('a')
  const second = lookup.find('b')
  store.reads[0]?.fail(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await settle()
  store.reads[1]?.answer()
  expect(await second).toBeNull()
  await settle()
  const third = lookup.find('c')
  store.reads[2]?.answer()
  expect(await third).toBeNull()
})

test('lookups beyond the limit are refused at once', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const waiting = Array.from({ length: 10_001 }, () => lookup.find('a'))
  await expect(lookup.find('a')).rejects.toMatchObject({ code: 'queue_full' })
  store.reads[0]?.answer()
  await settle()
  store.reads[1]?.answer()
  expect((await Promise.all(waiting)).length).toBe(10_001)
})

/** Finds a key once, so that it is trusted from now on. */
async function setUpTrusted(change: Partial<KeyRecord> = {}) {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const first = lookup.find('a')
  store.reads[0]?.find(change)
  await first
  await settle()
  return { store, lookup, reads: () => store.reads.length }
}

test('a key is trusted for half a second from the beginning of its read', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const first = lookup.find('a')
  time.now += 400
  store.reads[0]?.find()
  await first
  time.now += 99
  expect(await lookup.find('a')).toMatchObject({ id: 'a' })
  await settle()
  // That was late enough for another read, but nobody had to wait for it.
  expect(store.reads.length).toBe(2)
  time.now += 1
  const late = lookup.find('a')
  store.reads[1]?.find()
  await settle()
  store.reads[2]?.find({ revokedAt: 1 })
  expect(await late).toMatchObject({ revokedAt: 1 })
})

test('a busy key costs a read every quarter of a second, and no request waits for it', async () => {
  const { store, lookup, reads } = await setUpTrusted()
  for (let ms = 0; ms < 1_000; ms += 10) {
    time.now += 10
    expect(await lookup.find('a')).toMatchObject({ id: 'a' })
    store.reads.at(-1)?.find()
    await settle()
  }
  expect(reads()).toBe(5)
})

test('a read in between that fails hurts nobody while the key is trusted', async () => {
  const { store, lookup } = await setUpTrusted()
  time.now += 300
  expect(await lookup.find('a')).toMatchObject({ id: 'a' })
  store.reads[1]?.fail(new Error('lost'))
  await settle()
  expect(await lookup.find('a')).toMatchObject({ id: 'a' })
  time.now += 200
  const late = lookup.find('a')
  store.reads[2]?.fail(new Error('lost'))
  await expect(late).rejects.toThrow('lost')
})

test('once keys were changed, everything is read again, and a read that began before is not trusted', async () => {
  const { store, lookup, reads } = await setUpTrusted()
  lookup.forget()
  const during = lookup.find('a')
  expect(reads()).toBe(2)
  lookup.forget()
  store.reads[1]?.find()
  await during
  await settle()
  const after = lookup.find('a')
  expect(reads()).toBe(3)
  store.reads[2]?.find({ revokedAt: 1 })
  expect(await after).toMatchObject({ revokedAt: 1 })
})

test.each([
  ['revoked', { revokedAt: 1 }],
  ['expired', { expiresInMs: 0 }],
])('a key that is %s is read every time', async (_, change) => {
  const { lookup, reads } = await setUpTrusted(change)
  void lookup.find('a')
  expect(reads()).toBe(2)
})

test('so is an id that no key has', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store, clock })
  const first = lookup.find('a')
  store.reads[0]?.answer()
  await first
  await settle()
  void lookup.find('a')
  expect(store.reads.length).toBe(2)
})
