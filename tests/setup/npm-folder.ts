/** An empty folder outside of this clone, with an npm that knows only the given registry and has a cache of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface NpmFolder {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  npm(...args: readonly string[]): Promise<string>
  /** The installed packages, by their places. */
  listInstalled(): Promise<readonly string[]>
  installedBytes(): Promise<number>
  remove(): Promise<void>
}

export async function createNpmFolder(registryUrl: string, work: string): Promise<NpmFolder> {
  const home = await mkdtemp(join(work, 'npm-'))
  const path = join(home, 'project')
  await mkdir(path)
  await writeFile(join(path, 'package.json'), '{ "private": true, "type": "module" }\n')
  // Nothing of the npm that runs this test: its settings come as variables too.
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    npm_config_registry: registryUrl,
    npm_config_cache: join(home, 'cache'),
    npm_config_userconfig: join(home, 'npmrc'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    // They may need a compiler or the network. What they do has to work without them.
    npm_config_ignore_scripts: 'true',
  }
  return {
    path,
    env,
    npm: async (...args) => (await promisify(execFile)('npm', [...args], { cwd: path, env })).stdout,
    listInstalled: async () => {
      const tree = JSON.parse(await readFile(join(path, 'node_modules/.package-lock.json'), 'utf8'))
      return Object.keys(tree.packages)
    },
    installedBytes: () => measure(join(path, 'node_modules')),
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

async function measure(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
