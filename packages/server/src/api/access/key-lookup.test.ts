import { expect, test } from 'vitest'
import type { AccessStore } from '../../ports/access-store.ts'
import { createKeyLookup } from './key-lookup.ts'

function createHeldStore() {
  const reads: { ids: readonly string[]; answer(): void; fail(error: Error): void }[] = []
  const findKeys: AccessStore['findKeys'] = (ids) =>
    new Promise((resolve, reject) => {
      reads.push({
        ids,
        answer: () => resolve({ hasKeys: true, keys: ids.map(() => null) }),
        fail: reject,
      })
    })
  return { reads, findKeys }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('the first lookup runs at once, later ones share a read that starts after they came', async () => {
  const store = createHeldStore()
  const lookup = createKeyLookup({ store })
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
  const lookup = createKeyLookup({ store })
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
  const lookup = createKeyLookup({ store })
  const waiting = Array.from({ length: 10_001 }, () => lookup.find('a'))
  await expect(lookup.find('a')).rejects.toMatchObject({ code: 'queue_full' })
  store.reads[0]?.answer()
  await settle()
  store.reads[1]?.answer()
  expect((await Promise.all(waiting)).length).toBe(10_001)
})
