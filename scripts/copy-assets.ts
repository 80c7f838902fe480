/** Puts beside the compiled server what the compiler leaves behind: migrations, and the page if it has been built. */

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const SERVER = new URL('../packages/server/', import.meta.url)
const PAGE = new URL('../packages/dashboard/dist/', import.meta.url)

async function copyMigrations(): Promise<void> {
  const from = new URL('src/store/migrations/', SERVER)
  const to = new URL('dist/store/migrations/', SERVER)
  await mkdir(to, { recursive: true })
  const files = (await readdir(from)).filter((name) => name.endsWith('.sql'))
  if (files.length === 0) throw new Error('there are no migrations to copy')
  for (const name of files) await cp(new URL(name, from), new URL(name, to))
}

await copyMigrations()
if (existsSync(PAGE))
  await cp(fileURLToPath(PAGE), fileURLToPath(new URL('dist/dashboard/', SERVER)), { recursive: true })
