import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../../tests/setup/database.ts'
import type { KeyStore } from '../../../ports/key-store.ts'
import type { Notice } from '../../../ports/notice.ts'
import { createMasterKeys } from '../../../signer/master-keys.ts'
import { JAVASCRIPT_KIT } from '../../../signer/signing-kit.ts'
import { createStoredKeys } from '../../../signer/stored-keys.ts'
import { describeKeyStore } from '../../../testing/store/conformance/key-store.suite.ts'
import { createSilentTelemetry } from '../../../testing/telemetry/recording-telemetry.ts'
import { createPostgresStore } from '../postgres-store.ts'
import { createPostgresKeyStore } from './postgres-key-store.ts'

const telemetry = createSilentTelemetry()

describeKeyStore('PostgreSQL', async () => {
  const database = await createTestDatabase()
  const store = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 60_000 })
  return {
    store,
    close: async () => {
      await store.close()
      await database.drop()
    },
  }
})

test('every change is told to all nodes', async () => {
  const database = await createTestDatabase()
  const keys = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 60_000 })
  const store = createPostgresStore({ databaseUrl: database.url, telemetry })
  const waiting: ((notice: Notice) => void)[] = []
  store.listen((notice) => {
    if (notice.type === 'signer-keys.changed' || notice.type === 'gap') waiting.shift()?.(notice)
  })
  const next = () => new Promise<Notice>((resolve) => void waiting.push(resolve))
  expect(await next()).toEqual({ type: 'gap' })
  const key = { address: `0x${'ab'.repeat(20)}`, keyId: 'one', sealed: randomBytes(60) } as const
  const changes: readonly (() => Promise<unknown>)[] = [
    () => keys.add(key),
    () => keys.reseal([{ ...key, sealed: randomBytes(60), before: key.sealed }]),
    () => keys.remove(key.address),
  ]
  for (const change of changes) {
    const told = next()
    await change()
    expect(await told).toEqual({ type: 'signer-keys.changed' })
  }
  await keys.close()
  await store.close()
  await database.drop()
})

test('after a rotation, nothing under the old master key is left in the files of the table', async () => {
  const database = await createTestDatabase()
  const store = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 60_000 })
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  const before = createStoredKeys({ store, masterKeys: () => createMasterKeys([old]), kit: JAVASCRIPT_KIT })
  for (let count = 0; count < 20; count++) await before.create()
  const stale = await store.list()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const readFile = async () => {
    await client.query('checkpoint')
    const { rows } = await client.query<{ bytes: Buffer }>(
      `select pg_read_binary_file(pg_relation_filepath('signer_key')) as bytes`,
    )
    return rows[0]?.bytes ?? Buffer.alloc(0)
  }
  const count = (file: Buffer) => stale.filter(({ sealed }) => file.includes(Buffer.from(sealed))).length
  expect(count(await readFile())).toBe(20)
  const both = createStoredKeys({ store, masterKeys: () => createMasterKeys([fresh, old]), kit: JAVASCRIPT_KIT })
  expect(await both.rotate()).toMatchObject({ changed: 20 })
  expect(count(await readFile())).toBe(0)
  expect(await both.rotate()).toMatchObject({ changed: 0 })
  const opened = createMasterKeys([fresh])
  for (const key of await store.list()) expect(opened.open(key)).toHaveLength(32)
  await client.end()
  await store.close()
  await database.drop()
})

test('while an older transaction can still read old ciphertext, a rotation says so; afterwards it is gone', async () => {
  const database = await createTestDatabase()
  const store = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 60_000 })
  const hasty = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 0 })
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  await createStoredKeys({ store, masterKeys: () => createMasterKeys([old]), kit: JAVASCRIPT_KIT }).create()
  const [stale] = await store.list()
  const holder = new Client({ connectionString: database.url })
  await holder.connect()
  // As a backup does: it has read the table, and will read it again.
  await holder.query('begin isolation level repeatable read')
  await holder.query('select from signer_key')
  const masterKeys = () => createMasterKeys([fresh, old])
  const rotate = (at: KeyStore) => createStoredKeys({ store: at, masterKeys, kit: JAVASCRIPT_KIT }).rotate()
  expect(await rotate(hasty)).toMatchObject({ changed: 1, scrubbed: false })
  const { rows } = await holder.query<{ sealed: Buffer }>('select sealed from signer_key')
  expect(rows[0]?.sealed).toEqual(Buffer.from(stale?.sealed ?? []))
  // Nothing waits for that transaction meanwhile.
  expect(await store.list()).toHaveLength(1)
  await holder.query('commit')
  expect(await rotate(store)).toMatchObject({ changed: 0, scrubbed: true })
  await holder.end()
  await Promise.all([store.close(), hasty.close()])
  await database.drop()
})

test('a transaction that writes in another database of the server keeps old ciphertext too: a rotation says so', async () => {
  const [database, neighbour] = [await createTestDatabase(), await createTestDatabase()]
  const writer = new Client({ connectionString: neighbour.url })
  await writer.connect()
  await writer.query('begin')
  await writer.query('select pg_current_xact_id()')
  const store = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 60_000 })
  const hasty = createPostgresKeyStore({ databaseUrl: database.url, telemetry, scrubWaitMs: 0 })
  await createStoredKeys({ store, masterKeys: () => createMasterKeys([randomBytes(32)]), kit: JAVASCRIPT_KIT }).create()
  expect(await hasty.scrub()).toBe(false)
  await writer.query('commit')
  expect(await store.scrub()).toBe(true)
  await writer.end()
  await Promise.all([store.close(), hasty.close()])
  await Promise.all([database.drop(), neighbour.drop()])
})
