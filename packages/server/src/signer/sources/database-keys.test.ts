import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import type { ReadSecret } from '../../ports/secret-ref.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { describeKeySource } from '../../testing/signer/key-source.suite.ts'
import { createMemoryKeyStore } from '../../testing/store/memory-key-store.ts'
import { createMasterKeys } from '../master-keys.ts'
import { openSigningKit } from '../signing-kit.ts'
import { createStoredKeys } from '../stored-keys.ts'
import { openDatabaseKeys } from './database-keys.ts'

const kit = await openSigningKit()
const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const REF = { type: 'file', path: '/run/master' } as const
const reading = (...keys: readonly Uint8Array[]): ReadSecret => {
  let reads = 0
  return async () => Buffer.from(keys[Math.min(reads++, keys.length - 1)] ?? []).toString('hex')
}
const keysUnder = (store: KeyStore, ...masterKeys: readonly Uint8Array[]) =>
  createStoredKeys({ store, masterKeys: () => createMasterKeys(masterKeys), kit })

describeKeySource(
  'database',
  async () => {
    const store = createMemoryKeyStore()
    const privateKeys: readonly Hex[] = [`0x${randomBytes(32).toString('hex')}`, `0x${randomBytes(32).toString('hex')}`]
    for (const key of privateKeys) await keysUnder(store, OLD).import(Buffer.from(key.slice(2), 'hex'))
    let isAway = false
    const list: KeyStore['list'] = async () => {
      if (isAway) throw new StoreUnavailable('connection lost')
      return await store.list()
    }
    return {
      source: await openDatabaseKeys([REF], { store: { list }, kit, readSecret: reading(OLD) }),
      privateKeys,
      secrets: [OLD.toString('hex')],
      setAway: (now) => {
        isAway = now
      },
    }
  },
  { isDeterministic: true },
)

test('keys that are added and removed come and go', async () => {
  const store = createMemoryKeyStore()
  const source = await openDatabaseKeys([REF], { store, kit, readSecret: reading(OLD) })
  let changes = 0
  source.onChange(() => changes++)
  await source.look()
  expect(source.addresses()).toEqual([])
  const [first, second] = [await keysUnder(store, OLD).create(), await keysUnder(store, OLD).create()]
  await source.look()
  expect([...source.addresses()].sort()).toEqual([first, second].sort())
  await store.remove(first)
  await source.look()
  expect([source.addresses(), changes]).toEqual([[second], 2])
})

test('after a rotation the master key is read again, and keys that are open keep signing meanwhile', async () => {
  const store = createMemoryKeyStore()
  const address = await keysUnder(store, OLD).create()
  const stale = await openDatabaseKeys([REF], { store, kit, readSecret: reading(OLD) })
  const renewed = await openDatabaseKeys([REF], { store, kit, readSecret: reading(OLD, NEW) })
  for (const source of [stale, renewed]) await source.look()
  const { keyId, changed } = await keysUnder(store, NEW, OLD).rotate()
  expect(changed).toBe(1)
  await renewed.look()
  expect(renewed.masterKeys().currentId).toBe(keyId)
  await expect(stale.look()).rejects.toThrow(`is under master key ${keyId}, which this node does not have`)
  expect([stale.addresses(), renewed.addresses()]).toEqual([[address], [address]])
})

test('what is damaged, or was moved to another address, is not opened; the others are', async () => {
  const store = createMemoryKeyStore()
  const stored = keysUnder(store, OLD)
  const [good, moved] = [await stored.create(), await stored.create()]
  const [row] = (await store.list()).filter(({ address }) => address === moved)
  await store.remove(moved)
  const elsewhere = `0x${'ab'.repeat(20)}` as const
  if (row !== undefined) await store.add({ ...row, address: elsewhere })
  const source = await openDatabaseKeys([REF], { store, kit, readSecret: reading(OLD) })
  await expect(source.look()).rejects.toThrow(`the stored key of ${elsewhere} is damaged`)
  expect(source.addresses()).toEqual([good])
})

test('a master key that is none is refused and not echoed', async () => {
  const store = createMemoryKeyStore()
  const readSecret = async () => 'geheim'
  expect(await openDatabaseKeys([REF], { store, kit, readSecret }).catch(String)).toBe(
    'Error: the file /run/master is not a master key: expected 32 bytes in hex or base64',
  )
})
