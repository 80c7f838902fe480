/**
 * Holds the import table twice: the source keeps to it, and the rules would notice if it did not. For the second, one
 * module is planted for every pair of folders and every package that has an owner, in a copy of the project's shape.
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
  webhooks: ['core', 'ports'],
  api: ['core', 'ports', 'engine'],
  rpc: ['core', 'ports', 'engine'],
  telemetry: ['core', 'ports'],
  config: ['core', 'ports', 'telemetry'],
  dev: ['core', 'ports', 'config', 'telemetry', 'app'],
  cli: ['core', 'ports', 'config', 'telemetry', 'app', 'dev'],
  app: [
    'core',
    'ports',
    'engine',
    'store',
    'chain',
    'signer',
    'webhooks',
    'api',
    'rpc',
    'telemetry',
    'config',
    'dev',
    'cli',
  ],
}
const FOLDERS = Object.keys(ALLOWED)
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pg: ['store', 'dev'],
  viem: ['chain', 'signer'],
  fastify: ['api', 'rpc'],
  zod: ['api', 'rpc'],
  ws: ['rpc'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
  commander: ['cli'],
  '@drover/timers': ['engine', 'cli', 'app'],
}

const TO_CONTRACT = '../../server/src/api/contract/shape.ts'

test('the source keeps to the import table', async () => {
  const { moduleCount, violations } = await cruise(ROOT, CONFIG, ['packages', 'scripts', 'tests'])
  expect(moduleCount).toBeGreaterThan(50)
  expect(violations).toEqual([])
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
    await plant('packages/server/src/store/postgres/migrate.ts', 'export const leaf = 1\n')
    await plantImport('packages/server/src/cli/migrates.ts', '../store/postgres/migrate.ts')
    await plant(
      'tsconfig.json',
      '{"compilerOptions":{"module":"NodeNext","allowImportingTsExtensions":true,"noEmit":true}}',
    )
    for (const name of FOLDERS) {
      await plant(`packages/server/src/${name}/leaf.ts`, 'export const leaf = 1\n')
      await plant(`packages/server/src/${name}/leaf.test.ts`, 'export const leaf = 1\n')
      await plantImport(`packages/server/src/${name}/to-test.ts`, './leaf.test.ts')
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
  })

  test.each([
    'packages/client/src/to-node.ts',
    'packages/client/src/to-server.ts',
    'packages/timers/src/to-node.ts',
    'packages/timers/src/to-server.ts',
  ])('%s', (path) => {
    expect(isCaught(path)).toBe(true)
  })

  test("the page may know the contract's types, and nothing else of the server", () => {
    expect(isCaught('packages/dashboard/src/by-type.ts')).toBe(false)
    expect(isCaught('packages/dashboard/src/by-value.ts')).toBe(true)
    expect(isCaught('packages/dashboard/src/past-it.ts')).toBe(true)
  })

  test('a cycle is found; a test may import anything, and the command line may migrate', () => {
    expect(isCaught('packages/server/src/core/cycle-a.ts')).toBe(true)
    expect(isCaught('packages/server/src/store/all.test.ts')).toBe(false)
    expect(isCaught('packages/server/src/cli/migrates.ts')).toBe(false)
  })
})
