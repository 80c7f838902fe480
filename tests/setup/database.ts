/**
 * A PostgreSQL database for one test file, cloned from a template with the schema. The first file of a run that needs
 * the template creates it, while an advisory lock makes the others wait. Its name contains a hash of the migrations.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { migrate } from '../../packages/server/src/store/postgres/migrate.ts'
import './postgres.ts'

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

export interface DatabaseTemplate {
  /** Identifies the template; lower case letters and digits. */
  readonly name: string
  /** Fills the new database at this URL, and closes its connections. */
  prepare(url: string): Promise<void>
}

const MIGRATIONS = new URL('../../packages/server/src/store/migrations/', import.meta.url)
const TEMPLATE_LOCK = 4_747_001

/** With the current schema by default, from another template, or empty with null. */
export async function createTestDatabase(template?: DatabaseTemplate | null): Promise<TestDatabase> {
  const adminUrl = inject('databaseAdminUrl')
  const prefix = inject('databasePrefix')
  const name = `${prefix}_${randomBytes(6).toString('hex')}`
  const source = template === undefined ? await currentSchema() : template
  await withClient(adminUrl, async (admin) => {
    const from = source === null ? 'template0' : await ensureTemplate(admin, adminUrl, prefix, source)
    await admin.query(`create database "${name}" template "${from}"`)
  })
  return {
    url: urlOf(adminUrl, name),
    drop: () =>
      withClient(adminUrl, async (admin) => {
        await admin.query(`drop database if exists "${name}" with (force)`)
      }),
  }
}

async function ensureTemplate(
  admin: Client,
  adminUrl: string,
  prefix: string,
  template: DatabaseTemplate,
): Promise<string> {
  const name = `${prefix}_template_${template.name}`
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    const found = await admin.query('select from pg_database where datname = $1', [name])
    if (found.rowCount !== 0) return name
    // It gets its name only when complete: after a failed preparation the next file starts over.
    const draft = `${name}_draft`
    await admin.query(`drop database if exists "${draft}" with (force)`)
    await admin.query(`create database "${draft}" template template0`)
    await template.prepare(urlOf(adminUrl, draft))
    await admin.query(`alter database "${draft}" rename to "${name}"`)
    return name
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
}

async function currentSchema(): Promise<DatabaseTemplate> {
  const hash = createHash('sha256')
  for (const file of (await readdir(MIGRATIONS)).sort()) {
    if (file.endsWith('.sql')) hash.update(file).update(await readFile(new URL(file, MIGRATIONS)))
  }
  return {
    name: hash.digest('hex').slice(0, 12),
    prepare: async (url) => {
      await migrate(url)
    },
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}
