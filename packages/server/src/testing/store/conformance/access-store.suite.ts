/** What every store of keys and of the audit must do: run against the model in memory and against PostgreSQL. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../core/access/caller.ts'
import type { AccessStore, NewKey } from '../../../ports/access-store.ts'
import { toStored } from '../../../store/postgres/json-text.ts'

export interface AccessStoreUnderTest {
  readonly store: AccessStore
  /** By its clock. */
  now(): Promise<number>
  close(): Promise<void>
}

const ALL = { signers: null, chains: null }
const A = `0x${'aa'.repeat(20)}` as const
const B = `0x${'bb'.repeat(20)}` as const

function anyKey(change: Partial<NewKey> = {}): NewKey {
  return {
    id: randomBytes(8).toString('hex'),
    secretDigest: randomBytes(32).toString('hex'),
    name: 'a key',
    tenant: 'a',
    scopes: ['read'],
    signers: null,
    chains: null,
    rate: null,
    maxTxFeeWei: null,
    expiresAt: null,
    createdBy: 'tests',
    ...change,
  }
}

export function describeAccessStore(name: string, create: () => Promise<AccessStoreUnderTest>): void {
  describe(name, () => {
    let subject: AccessStoreUnderTest
    let store: AccessStore
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.close())

    test('a store that never had a key says so, and one that had one remembers it', async () => {
      expect(await store.findKeys([])).toEqual({ hasKeys: false, keys: [] })
      expect(await store.hasActiveKey()).toBe(false)
      const { id } = await store.insertKey(anyKey())
      expect(await store.hasActiveKey()).toBe(true)
      await store.revokeKey(id, { actor: 'x', reach: ALL, evenLast: false })
      expect(await store.findKeys([])).toEqual({ hasKeys: true, keys: [] })
      expect(await store.hasActiveKey()).toBe(false)
    })

    test('a key is returned in full, its digest only on lookup', async () => {
      const expiresAt = (await subject.now()) + 60_000
      const full = anyKey({
        name: 'Zoë’s key',
        tenant: 'Zoë',
        scopes: SCOPES,
        signers: [A, B],
        chains: [1, 2 ** 53 - 1],
        expiresAt,
        rate: { perSecond: 5, burst: 20 },
        maxTxFeeWei: 2n ** 200n,
      })
      const made = await store.insertKey(full)
      const { secretDigest, ...rest } = full
      expect(made).toEqual({
        ...rest,
        createdAt: expect.any(Number),
        lastUsedAt: null,
        revokedAt: null,
        revokedBy: null,
      })
      expect((await store.findKeys([full.id, '0'.repeat(16)])).keys).toEqual([
        { ...made, secretDigest, expiresInMs: expect.any(Number) },
        null,
      ])
      expect(await store.listKeys(ALL)).toContainEqual(made)
      expect(JSON.stringify(toStored(await store.listKeys(ALL)))).not.toContain(secretDigest)
    })

    test('a key is read with the time that is left to it', async () => {
      const now = await subject.now()
      const made = [now - 60_000, now + 60_000, null].map((expiresAt) => anyKey({ expiresAt }))
      for (const key of made) await store.insertKey(key)
      const { keys } = await store.findKeys(made.map(({ id }) => id))
      const [expired, live, endless] = keys.map((key) => key?.expiresInMs)
      expect(expired).toBeLessThanOrEqual(-60_000)
      expect(live).toBeGreaterThan(0)
      expect(live).toBeLessThanOrEqual(60_000)
      expect(endless).toBeNull()
    })

    test('an id is taken once', async () => {
      const key = anyKey()
      await store.insertKey(key)
      await expect(store.insertKey({ ...anyKey(), id: key.id })).rejects.toThrow()
      expect((await store.findKeys([key.id])).keys[0]?.secretDigest).toBe(key.secretDigest)
    })

    test('revoking is kept as it was first done', async () => {
      const { id } = await store.insertKey(anyKey())
      const first = await store.revokeKey(id, { actor: 'ann', reach: ALL, evenLast: false })
      expect(first).toMatchObject({ type: 'revoked', key: { id, revokedBy: 'ann', revokedAt: expect.any(Number) } })
      expect(await store.revokeKey(id, { actor: 'bob', reach: ALL, evenLast: false })).toEqual(first)
      expect((await store.findKeys([id])).keys[0]).toMatchObject({ revokedBy: 'ann' })
      expect(await store.revokeKey('f'.repeat(16), { actor: 'bob', reach: ALL, evenLast: true })).toEqual({
        type: 'not_found',
      })
    })

    test('the last key with admin is revoked only where that is meant', async () => {
      for (const { id, scopes } of await store.listKeys(ALL))
        if (scopes.includes('admin')) await store.revokeKey(id, { actor: 'x', reach: ALL, evenLast: true })
      await store.insertKey(anyKey({ scopes: ['admin'], expiresAt: (await subject.now()) - 1 }))
      const [first, second] = [anyKey({ scopes: ['admin'] }), anyKey({ scopes: ['admin', 'read'] })]
      await store.insertKey(first)
      await store.insertKey(second)
      const by = { actor: 'x', reach: ALL, evenLast: false }
      const both = await Promise.all([store.revokeKey(first.id, by), store.revokeKey(second.id, by)])
      expect(both.map(({ type }) => type).sort()).toEqual(['last_admin', 'revoked'])
      const left = both[0]?.type === 'last_admin' ? first.id : second.id
      expect((await store.findKeys([left])).keys[0]?.revokedAt).toBeNull()
      expect(await store.revokeKey(left, { ...by, evenLast: true })).toMatchObject({ type: 'revoked' })
    })

    test('who is limited sees and revokes only keys that are limited to some of the same', async () => {
      const inner = await store.insertKey(anyKey({ signers: [A], chains: [1] }))
      const other = await store.insertKey(anyKey({ signers: [A, B], chains: [1] }))
      const everywhere = await store.insertKey(anyKey({ signers: [A] }))
      const reach = { signers: [A], chains: [1, 2] }
      const seen = (await store.listKeys(reach)).map(({ id }) => id)
      expect(seen).toContain(inner.id)
      expect(seen).not.toContain(other.id)
      expect(seen).not.toContain(everywhere.id)
      const by = { actor: 'x', reach, evenLast: true }
      expect(await store.revokeKey(other.id, by)).toEqual({ type: 'not_found' })
      expect(await store.revokeKey(everywhere.id, by)).toEqual({ type: 'not_found' })
      expect(await store.revokeKey(inner.id, by)).toMatchObject({ type: 'revoked' })
    })

    test('use is noted for many at once; what is no key is passed over', async () => {
      const keys = await Promise.all([store.insertKey(anyKey()), store.insertKey(anyKey())])
      await store.touchKeys([...keys.map(({ id }) => id), 'f'.repeat(16)])
      await store.touchKeys([])
      const found = (await store.findKeys(keys.map(({ id }) => id))).keys
      expect(found.map((key) => typeof key?.lastUsedAt)).toEqual(['number', 'number'])
    })

    test('the audit is read from the newest back, page by page', async () => {
      const note = { keyId: null, actor: 'ann', nodeId: 'n1', target: '/v1/x', result: 'done' }
      const operations = ['one', 'two', 'three', 'four', 'five']
      for (const operation of operations) await store.appendAudit({ ...note, operation })
      const first = await store.listAudit({ before: null, limit: 2 })
      const rest = await store.listAudit({ before: first[1]?.id ?? 0, limit: 3 })
      expect([...first, ...rest].map(({ operation }) => operation)).toEqual(operations.toReversed())
      expect(first[0]).toEqual({
        ...note,
        operation: 'five',
        id: expect.any(Number),
        at: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(await store.listAudit({ before: rest[2]?.id ?? 0, limit: 3 })).toEqual([])
    })

    test('entries that come at once are numbered without gaps and form one chain, checked whole or in parts', async () => {
      const note = { keyId: null, actor: 'Zoë "x"', nodeId: null, target: '/v1/x', result: 'done' }
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.appendAudit({ ...note, operation: `o${index}` })),
      )
      const entries = await store.listAudit({ before: null, limit: 100 })
      const [newest] = entries
      expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => (newest?.id ?? 0) - index))
      expect(new Set(entries.map(({ hash }) => hash)).size).toBe(entries.length)
      const last = { id: newest?.id, hash: newest?.hash }
      expect(await store.checkAudit({ after: 0, limit: 1_000 })).toEqual({ brokenAt: null, last, deleted: null })
      const part = await store.checkAudit({ after: 0, limit: 7 })
      expect(part).toEqual({ brokenAt: null, last: { id: 7, hash: entries.at(-7)?.hash }, deleted: null })
      expect(await store.checkAudit({ after: part.last.id, limit: 1_000 })).toEqual({
        brokenAt: null,
        last,
        deleted: null,
      })
      expect(await store.checkAudit({ after: last.id ?? 0, limit: 1_000 })).toEqual({
        brokenAt: null,
        last,
        deleted: null,
      })
    })

    test('old entries are deleted from the beginning, and the rest is still one chain', async () => {
      const note = { keyId: null, actor: 'ann', nodeId: null, target: '/v1/x', result: 'done' }
      for (const operation of ['one', 'two', 'three']) await store.appendAudit({ ...note, operation })
      const entries = await store.listAudit({ before: null, limit: 1_000 })
      const at = (id: number) => entries.map(({ id: each, hash }) => ({ id: each, hash })).find((one) => one.id === id)
      const last = at(entries.length)
      const [all, tenYears] = [{ olderThanMs: 0, onlyArchived: false }, 3_650 * 86_400_000]
      expect(await store.deleteAudit({ ...all, olderThanMs: tenYears, limit: 2 })).toMatchObject({ count: 0 })
      expect(await store.deleteAudit({ ...all, onlyArchived: true, limit: 2 })).toMatchObject({ count: 0 })
      expect(await store.deleteAudit({ ...all, limit: 2 })).toEqual({ count: 2, lastId: 2 })
      const check = { brokenAt: null, last, deleted: at(2) }
      expect(await store.checkAudit({ after: 0, limit: 1_000 })).toEqual(check)
      expect(await store.checkAudit({ after: 2, limit: 1_000 })).toEqual(check)
      expect(await store.checkAudit({ after: 4, limit: 1_000 })).toEqual(check)
      expect(await store.checkAudit({ after: 0, limit: 3 })).toEqual({ ...check, last: at(5) })
      expect(await store.deleteAudit({ ...all, limit: 1_000 })).toEqual({ count: entries.length - 2, lastId: last?.id })
      expect(await store.checkAudit({ after: 0, limit: 1_000 })).toEqual({ ...check, deleted: last })
      await store.appendAudit({ ...note, operation: 'four' })
      const [next] = await store.listAudit({ before: null, limit: 1_000 })
      expect(next).toMatchObject({ id: (last?.id ?? 0) + 1, operation: 'four' })
      expect(await store.checkAudit({ after: 0, limit: 1_000 })).toMatchObject({
        brokenAt: null,
        last: { id: next?.id },
      })
    })
  })
}
