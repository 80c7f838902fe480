/**
 * Lays out a package as it is published: compiled code of today's sources, its README, the license, and a manifest
 * without what only this repository can use.
 */
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Manifest, PublishedPackage } from './list-published.ts'

export interface StageOptions {
  readonly root: string
  /** Where the stage is made. */
  readonly into: string
  /** Of the public repository, for provenance; null: not named. */
  readonly repository: string | null
}

/** A condition that leads to the sources, which are not published. */
const SOURCE_CONDITION = 'drover-source'
const NOT_COMPILED = /(?:^|\/)testing\/|\.(?:test|suite|d)\.ts$/

/** Returns the folder. */
export async function stagePackage(own: PublishedPackage, { root, into, repository }: StageOptions): Promise<string> {
  const stage = join(into, own.folder)
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  const from = join(root, own.folder)
  await copyCode(from, stage)
  for (const name of own.manifest.files ?? []) {
    if (name !== 'dist' && !name.startsWith('!')) await cp(join(from, name), join(stage, name), { recursive: true })
  }
  if (existsSync(join(from, 'src/store/migrations'))) await copyServerAssets(root, stage)
  await cp(join(from, 'README.md'), join(stage, 'README.md'))
  await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'))
  const manifest = publicManifest(own, repository)
  await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return stage
}

/** Only what today's sources compile to: `dist` may still have files of sources that are gone. */
async function copyCode(from: string, stage: string): Promise<void> {
  const source = join(from, 'src')
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
  for (const file of files.filter((name) => name.endsWith('.ts') && !NOT_COMPILED.test(name))) {
    const code = file.replace(/\.ts$/, '.js')
    await copyFile(join(from, 'dist', code), join(stage, 'dist', code))
    const types = file.replace(/\.ts$/, '.d.ts')
    if (existsSync(join(from, 'dist', types))) await copyFile(join(from, 'dist', types), join(stage, 'dist', types))
  }
}

async function copyServerAssets(root: string, stage: string): Promise<void> {
  const page = join(root, 'packages/dashboard/dist')
  if (!existsSync(join(page, 'index.html'))) throw new Error('the web page is not built; run `npm run build`')
  await cp(page, join(stage, 'dist/dashboard'), { recursive: true })
  const migrations = join(root, 'packages/server/src/store/migrations')
  for (const name of (await readdir(migrations)).filter((file) => file.endsWith('.sql')))
    await copyFile(join(migrations, name), join(stage, 'dist/store/migrations', name))
}

async function copyFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await cp(from, to)
}

function publicManifest({ manifest, folder }: PublishedPackage, repository: string | null): Manifest {
  const exports = Object.entries(manifest.exports ?? {}).map(([path, conditions]) => [
    path,
    Object.fromEntries(Object.entries(conditions).filter(([name]) => name !== SOURCE_CONDITION)),
  ])
  return {
    ...manifest,
    ...(exports.length > 0 && { exports: Object.fromEntries(exports) }),
    ...(repository !== null && { repository: { type: 'git', url: `git+${repository}.git`, directory: folder } }),
    publishConfig: { access: 'public' },
  } as Manifest
}
