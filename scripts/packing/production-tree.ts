/** What is installed with a package of ours, from the lockfile: the same on every machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly license?: string
  readonly os?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Lock = Readonly<Record<string, LockedPackage>>

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
}

/** With what is built into the page: it comes with the server, inside of it. */
export function withPage(lock: Lock): Lock {
  const [server, page] = [lock['packages/server'], lock['packages/dashboard']]
  return { ...lock, 'packages/server': { ...server, dependencies: { ...server?.dependencies, ...page?.dependencies } } }
}

/** As Node looks for it: beside the package, then in every folder above. */
function resolveFrom(lock: Lock, place: string, name: string): string | null {
  for (let folder = place; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const found = lock[path]
    if (found !== undefined) return found.link === true ? (found.resolved ?? null) : path
    if (folder === '') return null
  }
}

/** The places of everything that is installed with the package at `root`, itself included. */
export function listInstalled(lock: Lock, root: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const queue = [root]
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    const { dependencies, optionalDependencies } = lock[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolveFrom(lock, place, name)
      if (found !== null) queue.push(found)
    }
  }
  return seen
}

export function nameOf(place: string): string {
  return place.split('node_modules/').at(-1) ?? place
}
