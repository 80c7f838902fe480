/**
 * The service as it was at the last release, from the history of this clone: the newest tag `v…`, and until there is
 * one, a commit whose schema is a few migrations older.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleService, CACHE } from './bundle-service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Migrations 0001 to 0017. */
const BEFORE_RELEASES = '304cf5cbb1235c3846be3edd68f9cc5bc8cc8efa'
const PACKAGES = ['timers', 'client', 'server', 'dev', 'cli']

export interface Release {
  readonly name: string
  /** The file to run. */
  readonly main: string
  remove(): Promise<void>
}

/** Null in a clone without that history, which it says loudly. */
export function findLastRelease(): string | null {
  const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD^').split('\n')
  const name = tag || BEFORE_RELEASES
  if (git('cat-file', '-t', `${name}^{commit}`) === 'commit') return name
  console.warn(
    `SKIPPED: ${name} is not in this clone (fetch the whole history), so no older version runs beside this one`,
  )
  return null
}

export async function buildRelease(name: string): Promise<Release> {
  await mkdir(CACHE, { recursive: true })
  // Inside node_modules, so that it finds the packages of this clone; its own ones come first.
  const root = await mkdtemp(join(CACHE, 'release-'))
  const paths = ['tsconfig.base.json', 'package.json', ...PACKAGES.map((each) => `packages/${each}`)]
  const archive = execFileSync('git', ['archive', name, ...paths], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', root], { input: archive })
  await mkdir(join(root, 'node_modules', '@drover'), { recursive: true })
  for (const each of PACKAGES) await symlink(join(root, 'packages', each), join(root, 'node_modules', '@drover', each))
  const entry = join(root, 'packages', 'cli', 'src', 'main.ts')
  const main = await bundleService({ root, entry, conditions: ['drover-source', 'module', 'node', 'default'] })
  return { name, main, remove: () => rm(root, { recursive: true, force: true }) }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
