/** The migrations of this program, with what they say and a checksum. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { MIGRATIONS } from './schema-version.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

export async function readMigrations(): Promise<readonly Migration[]> {
  return await Promise.all(
    MIGRATIONS.map(async (name, index) => {
      const sql = await readFile(new URL(`../migrations/${name}`, import.meta.url), 'utf8')
      // Line ends may differ between checkouts; the schema does not.
      const checksum = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex')
      return { version: index + 1, name, sql, checksum }
    }),
  )
}
