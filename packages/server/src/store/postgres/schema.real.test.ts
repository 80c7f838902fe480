/** Holds schema.sql true. After a migration, write it anew with DROVER_UPDATE_SCHEMA=1. */
import { readFile, writeFile } from 'node:fs/promises'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../../tests/setup/database.ts'
import { dumpSchema } from '../../testing/store/schema-dump.ts'

const FILE = new URL('./schema.sql', import.meta.url)

test('schema.sql is what the migrations make', async () => {
  const database = await createTestDatabase()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    const schema = await dumpSchema(client)
    if (process.env.DROVER_UPDATE_SCHEMA === '1') await writeFile(FILE, schema)
    expect(schema).toBe(await readFile(FILE, 'utf8'))
  } finally {
    await client.end()
    await database.drop()
  }
})

test('no index mentions a column that changes often', async () => {
  const schema = await readFile(FILE, 'utf8')
  const indexes = schema.split('\n').filter((line) => /^CREATE (UNIQUE )?INDEX .* ON public\.managed_tx /.test(line))
  expect(indexes.length).toBeGreaterThan(3)
  const often =
    /\b(state|sub_state|version|submit_count|last_submit_at|next_resubmit_at|refusals|event_seq|event_open_from|inclusion)\b/
  for (const index of indexes) expect(index.replace(/^.* USING /, '')).not.toMatch(often)
})
