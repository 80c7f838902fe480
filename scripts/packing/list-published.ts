/** The packages that are published, each after those that it needs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly files?: readonly string[]
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface PublishedPackage {
  /** From the root. */
  readonly folder: string
  readonly manifest: Manifest
  /** False: it only has a program, and no types to look at. */
  readonly hasTypes: boolean
}

export function listPublished(root: string): readonly PublishedPackage[] {
  const all = readdirSync(join(root, 'packages')).map((name): PublishedPackage => {
    const folder = `packages/${name}`
    const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return { folder, manifest, hasTypes: existsSync(join(root, folder, 'src/index.ts')) }
  })
  return inOrder(all.filter(({ manifest }) => manifest.private !== true))
}

function inOrder(left: readonly PublishedPackage[]): readonly PublishedPackage[] {
  if (left.length === 0) return []
  const names = new Set(left.map(({ manifest }) => manifest.name))
  const isReady = ({ manifest: { dependencies, peerDependencies } }: PublishedPackage) =>
    !Object.keys({ ...dependencies, ...peerDependencies }).some((name) => names.has(name))
  const ready = left.filter(isReady)
  if (ready.length === 0) throw new Error('the packages need each other in a circle')
  return [...ready, ...inOrder(left.filter((one) => !ready.includes(one)))]
}
