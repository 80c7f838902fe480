/**
 * Holds the import table twice: the source keeps to it, and the rules would notice if it did not. For the second, one
 * module is planted for every pair of folders and every package that has an owner, in a copy of the project's shape.
 */
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IMPORT_TABLE } from '../../scripts/architecture-tables.ts'
import { type Cruise, cruise } from '../../scripts/cruise.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONFIG = join(ROOT, '.dependency-cruiser.cjs')

/** As the design has it. Kept apart from the rules' own table, so that a change there has to be made here too. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ports: ['core'],
  engine: ['core', 'ports'],
  store: ['core', 'ports'],
  chain: ['core', 'ports'],
  signer: ['core', 'ports'],
  hooks: ['core', 'ports'],
  webhooks: ['core', 'ports', 'hooks'],
  traces: ['core', 'ports'],
  api: ['core', 'ports', 'engine'],
  rpc: ['core', 'ports', 'engine'],
  telemetry: ['core', 'ports'],
  config: ['core', 'ports', 'telemetry'],
  app: [
    'core',
    'ports',
    'engine',
    'store',
    'chain',
    'signer',
    'hooks',
    'webhooks',
    'traces',
    'api',
    'rpc',
    'telemetry',
    'config',
  ],
  exports: ['core', 'config'],
}
const FOLDERS = Object.keys(ALLOWED)
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pg: ['store'],
  viem: ['chain', 'signer'],
  fastify: ['api', 'rpc'],
  zod: ['api', 'rpc'],
  ws: ['rpc'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
  // Known to engine/timers alone.
  '@drover/timers': [],
}

const TO_CONTRACT = '../../server/src/api/contract/shape.ts'

test('the source follows the import table', async () => {
  const { moduleCount, violations } = await cruise(ROOT, CONFIG, ['packages', 'scripts', 'tests'])
  expect(moduleCount).toBeGreaterThan(50)
  expect(violations).toEqual([])
})

test('every folder and every package is in the table', async () => {
  const foldersIn = async (path: string): Promise<readonly string[]> => {
    const entries = await readdir(join(ROOT, path), { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  }
  expect(new Set(await foldersIn('packages/server/src'))).toEqual(new Set([...FOLDERS, 'testing']))
  expect(new Set(Object.keys(IMPORT_TABLE.FOLDERS))).toEqual(new Set(FOLDERS))
  expect(new Set(Object.keys(IMPORT_TABLE.PACKAGES))).toEqual(new Set(await foldersIn('packages')))
})

describe('planted imports', () => {
  let folder: string
  let found: Cruise
  const planted = new Map<string, string>()

  async function plant(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }

  async function plantImport(path: string, imported: string): Promise<void> {
    planted.set(path, imported)
    await plant(path, `import '${imported}'\n`)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drover-imports-'))
    await mkdir(join(folder, 'node_modules/@drover'), { recursive: true })
    await plant('packages/timers/src/index.ts', 'export const leaf = 1\n')
    await plant('packages/timers/package.json', '{"name":"@drover/timers","exports":"./src/index.ts"}')
    await symlink(join(folder, 'packages/timers'), join(folder, 'node_modules/@drover/timers'))
    for (const name of Object.keys(PACKAGES).filter((used) => !used.startsWith('@drover/')))
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
    await plant('packages/server/src/testing/leaf.ts', 'export const leaf = 1\n')
    await plant('packages/server/src/index.ts', 'export const leaf = 1\n')
    await plant('packages/dev/src/index.ts', 'export type Leaf = 1\nexport const leaf = 1\n')
    for (const [from, to] of [
      ['dev', 'server'],
      ['cli', 'server'],
      ['server', 'dev'],
      ['dev', 'cli'],
      ['dev', 'timers'],
    ])
      await plantImport(`packages/${from}/src/to-${to}.ts`, `../../${to}/src/index.ts`)
    await plant('packages/cli/src/index.ts', 'export const leaf = 1\n')
    await plantImport('packages/cli/src/run/load-dev.ts', '../../../dev/src/index.ts')
    await plantImport('packages/cli/src/run/other.ts', '../../../dev/src/index.ts')
    await plant('packages/cli/src/run/by-type.ts', `export type { Leaf } from '../../../dev/src/index.ts'\n`)
    await plantImport('packages/cli/src/past-the-entry.ts', '../../server/src/core/leaf.ts')
    await plant(
      'tsconfig.json',
      '{"compilerOptions":{"module":"NodeNext","allowImportingTsExtensions":true,"noEmit":true}}',
    )
    for (const name of FOLDERS) {
      await plant(`packages/server/src/${name}/leaf.ts`, 'export const leaf = 1\n')
      await plant(`packages/server/src/${name}/leaf.test.ts`, 'export const leaf = 1\n')
      await plantImport(`packages/server/src/${name}/to-test.ts`, './leaf.test.ts')
      await plantImport(`packages/server/src/${name}/to-testing.ts`, '../testing/leaf.ts')
      await plantImport(`packages/server/src/${name}/to-node.ts`, 'node:fs')
      for (const other of FOLDERS)
        await plantImport(`packages/server/src/${name}/to-${other}.ts`, `../${other}/leaf.ts`)
      for (const used of Object.keys(PACKAGES))
        await plantImport(`packages/server/src/${name}/uses-${used.replaceAll('/', '-')}.ts`, used)
    }
    await plantImport('packages/server/src/store/all.test.ts', '../app/leaf.ts')
    await plant('packages/server/src/core/cycle-a.ts', `import './cycle-b.ts'\n`)
    await plant('packages/server/src/core/cycle-b.ts', `import './cycle-a.ts'\n`)
    for (const alone of ['client', 'timers']) {
      await plantImport(`packages/${alone}/src/to-node.ts`, 'node:fs')
      await plantImport(`packages/${alone}/src/to-server.ts`, '../../server/src/core/leaf.ts')
    }
    await plant('packages/server/src/api/contract/shape.ts', 'export type Shape = string\nexport const shape = 1\n')
    await plant('packages/dashboard/src/by-type.ts', `export type { Shape } from '${TO_CONTRACT}'\n`)
    await plantImport('packages/dashboard/src/by-value.ts', TO_CONTRACT)
    await plant('packages/dashboard/src/past-it.ts', `export type { Leaf } from '../../server/src/core/leaf.ts'\n`)
    found = await cruise(folder, CONFIG, ['packages'])
  })
  afterAll(() => rm(folder, { recursive: true }))

  const isCaught = (path: string): boolean =>
    found.violations.some(
      ({ from, rule }) => from === path && rule !== 'no-orphans' && rule !== 'no-undeclared-package',
    )

  test('modules were read', () => {
    expect(found.moduleCount).toBeGreaterThan(planted.size)
  })

  test.each(FOLDERS.flatMap((from) => FOLDERS.map((to) => [from, to] as const)))('%s → %s', (from, to) => {
    const isAllowed = from === to || ALLOWED[from]?.includes(to) === true
    expect(isCaught(`packages/server/src/${from}/to-${to}.ts`)).toBe(!isAllowed)
  })

  test.each(FOLDERS.flatMap((from) => Object.keys(PACKAGES).map((used) => [from, used] as const)))(
    '%s → package %s',
    (from, used) => {
      const isAllowed = PACKAGES[used]?.includes(from) === true
      expect(isCaught(`packages/server/src/${from}/uses-${used.replaceAll('/', '-')}.ts`)).toBe(!isAllowed)
    },
  )

  test.each(FOLDERS)('%s → Node', (from) => {
    expect(isCaught(`packages/server/src/${from}/to-node.ts`)).toBe(['core', 'ports', 'engine'].includes(from))
  })

  test.each(FOLDERS)('%s → a test', (from) => {
    expect(isCaught(`packages/server/src/${from}/to-test.ts`)).toBe(true)
    expect(isCaught(`packages/server/src/${from}/to-testing.ts`)).toBe(true)
  })

  test.each([
    'packages/client/src/to-node.ts',
    'packages/client/src/to-server.ts',
    'packages/timers/src/to-node.ts',
    'packages/timers/src/to-server.ts',
  ])('%s', (path) => {
    expect(isCaught(path)).toBe(true)
  })

  test('the page may import types of the contract, and nothing else from the server', () => {
    expect(isCaught('packages/dashboard/src/by-type.ts')).toBe(false)
    expect(isCaught('packages/dashboard/src/by-value.ts')).toBe(true)
    expect(isCaught('packages/dashboard/src/past-it.ts')).toBe(true)
  })

  test.each([
    ['packages/dev/src/to-server.ts', false],
    ['packages/cli/src/to-server.ts', false],
    ['packages/server/src/to-dev.ts', true],
    ['packages/dev/src/to-cli.ts', true],
    ['packages/dev/src/to-timers.ts', true],
    ['packages/cli/src/past-the-entry.ts', true],
    ['packages/cli/src/run/load-dev.ts', false],
    ['packages/cli/src/run/by-type.ts', false],
    ['packages/cli/src/run/other.ts', true],
  ])('between packages: %s is refused: %s', (path, isRefused) => {
    expect(isCaught(path)).toBe(isRefused)
  })

  test('a cycle is found, and a test may import anything', () => {
    expect(isCaught('packages/server/src/core/cycle-a.ts')).toBe(true)
    expect(isCaught('packages/server/src/store/all.test.ts')).toBe(false)
  })
})
