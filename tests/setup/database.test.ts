import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

async function query(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('a template is prepared once for many separate databases', async () => {
  let prepared = 0
  const template = {
    name: 'counted',
    prepare: async (url: string) => {
      prepared += 1
      await query(url, 'create table item (n int)')
    },
  }
  const databases = await Promise.all(Array.from({ length: 5 }, () => createTestDatabase(template)))
  expect(prepared).toBe(1)
  const [first, second] = databases
  await query(first?.url ?? '', 'insert into item values (1)')
  expect(await query(first?.url ?? '', 'select * from item')).toEqual([{ n: 1 }])
  expect(await query(second?.url ?? '', 'select * from item')).toEqual([])
  for (const database of databases) await database.drop()
  await expect(query(first?.url ?? '', 'select 1')).rejects.toThrow('does not exist')
})

test('a failed preparation is done again', async () => {
  let tries = 0
  const template = {
    name: 'failing',
    prepare: async (url: string) => {
      tries += 1
      await query(url, tries === 1 ? 'select from nothing' : 'create table item (n int)')
    },
  }
  await expect(createTestDatabase(template)).rejects.toThrow('"nothing" does not exist')
  const database = await createTestDatabase(template)
  expect(await query(database.url, 'select * from item')).toEqual([])
  await database.drop()
})

test('by default it has the schema of the service', async () => {
  const database = await createTestDatabase()
  expect(await query(database.url, 'select version from schema_migration limit 1')).toEqual([{ version: 1 }])
  await database.drop()
})

test('it can be empty', async () => {
  const database = await createTestDatabase(null)
  expect(await query(database.url, "select from pg_tables where schemaname = 'public'")).toEqual([])
  await database.drop()
})
