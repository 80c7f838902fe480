/** What every store of encrypted keys must do. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KeyStore, StoredKey } from '../../../ports/key-store.ts'
import { anyAddress } from '../samples.ts'

function anyKey(keyId = 'one'): StoredKey {
  return { address: anyAddress(), keyId, sealed: randomBytes(60) }
}

export function describeKeyStore(
  name: string,
  create: () => Promise<{ readonly store: KeyStore; close(): Promise<void> }>,
): void {
  describe(`key store: ${name}`, () => {
    let subject: Awaited<ReturnType<typeof create>>
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(() => subject.close())

    const find = async ({ address }: StoredKey) =>
      (await subject.store.list()).find((stored) => stored.address === address) ?? null

    test('keeps a key as it was given, once', async () => {
      const key = anyKey()
      expect(await subject.store.add(key)).toBe(true)
      expect(await subject.store.add({ ...anyKey(), address: key.address })).toBe(false)
      expect(await find(key)).toEqual(key)
    })

    test('removes a key, once', async () => {
      const key = anyKey()
      await subject.store.add(key)
      expect([await subject.store.remove(key.address), await subject.store.remove(key.address)]).toEqual([true, false])
      expect(await find(key)).toBeNull()
    })

    test('replaces only what has not changed since', async () => {
      const [first, second] = [anyKey(), anyKey()]
      for (const key of [first, second]) await subject.store.add(key)
      const changed = { ...first, keyId: 'two', sealed: randomBytes(60), before: first.sealed }
      const late = { ...second, keyId: 'two', sealed: randomBytes(60), before: randomBytes(60) }
      expect(await subject.store.reseal([changed, late])).toBe(1)
      expect(await find(first)).toEqual({ address: first.address, keyId: 'two', sealed: changed.sealed })
      expect(await find(second)).toEqual(second)
      expect(await subject.store.reseal([])).toBe(0)
      expect(await find(second)).toEqual(second)
    })

    test('scrubbing keeps the keys that are there, and says that nothing else remains', async () => {
      const [kept, gone] = [anyKey(), anyKey()]
      for (const key of [kept, gone]) await subject.store.add(key)
      await subject.store.remove(gone.address)
      expect(await subject.store.scrub()).toBe(true)
      expect(await find(kept)).toEqual(kept)
    })
  })
}
