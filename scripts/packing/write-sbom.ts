/**
 * The bill of materials of one package, by `npm sbom`, without the network. npm is given a lockfile of that package alone:
 * in a workspace it leaves out whatever the repository also uses for development.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '../run-program.ts'
import type { PublishedPackage } from './list-published.ts'
import { type Lock, type LockedPackage, listInstalled, withPage } from './production-tree.ts'

export const SBOM_FORMATS = ['cyclonedx', 'spdx'] as const

export async function writeSbom(
  lock: Lock,
  { folder, manifest }: PublishedPackage,
  format: (typeof SBOM_FORMATS)[number],
): Promise<string> {
  const { name, version } = manifest
  const home = await mkdtemp(join(tmpdir(), 'drover-sbom-'))
  try {
    // npm names what it describes after the folder.
    const work = join(home, name)
    await mkdir(work, { recursive: true })
    const packages = lockAlone(withPage(lock), folder)
    await writeFile(join(work, 'package.json'), JSON.stringify({ ...packages[''], name, version }))
    await writeFile(join(work, 'package-lock.json'), JSON.stringify({ name, version, lockfileVersion: 3, packages }))
    const args = ['sbom', '--package-lock-only', `--sbom-format=${format}`, '--sbom-type=library']
    const { code, stdout, output } = await runProgram('npm', args, work)
    if (code !== 0) throw new Error(`npm sbom failed for ${name}:\n${output}`)
    return stdout
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** As if the package had been installed by itself. */
function lockAlone(lock: Lock, folder: string): Record<string, LockedPackage> {
  const places = new Map<string, LockedPackage>()
  for (const place of listInstalled(lock, folder)) {
    const alone = placeAlone(lock, folder, place)
    if (places.has(alone)) throw new Error(`${folder} would have two packages at ${alone}`)
    places.set(alone, forProduction(lock[place] ?? {}))
  }
  return Object.fromEntries(places)
}

function placeAlone(lock: Lock, folder: string, place: string): string {
  const [, own = '', rest = ''] = /^(packages\/[^/]+)(\/.*)?$/.exec(place) ?? []
  if (own === '') return place
  if (own === folder) return rest.replace(/^\//, '')
  const link = Object.entries(lock).find(([, entry]) => entry.link === true && entry.resolved === own)?.[0]
  if (link === undefined) throw new Error(`${own} is not linked`)
  return `${link}${rest}`
}

/** What the repository uses it for says nothing about the package. */
function forProduction(entry: LockedPackage): LockedPackage {
  const repositoryOnly = ['dev', 'devOptional', 'peer', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta']
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !repositoryOnly.includes(field)))
}
