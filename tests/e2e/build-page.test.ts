/** A fresh clone has no built page: `npm run drover -- start` and `dev` build it, and only when they have to. */
import { cp, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildPage, servesPage } from '../../scripts/build-page.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['index.html', 'package.json', 'vite.config.ts', 'src']
const BUILDING = 'building the web page …'

let root: string
let folder: string
let lines: string[]

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'drover-page-'))
  folder = join(root, 'dashboard')
  lines = []
  for (const name of SOURCES) {
    await cp(join(ROOT, 'packages/dashboard', name), join(folder, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
})

afterEach(async () => {
  await rm(root, { recursive: true })
})

const build = () => buildPage(folder, (line) => lines.push(line))

test('a missing page is built once, and again after a source has changed', async () => {
  build()
  expect(lines).toEqual([BUILDING])
  expect(await readFile(join(folder, 'dist/index.html'), 'utf8')).toContain('/assets/')
  build()
  expect(lines).toEqual([BUILDING])
  const later = new Date(Date.now() + 60_000)
  await utimes(join(folder, 'src/main.tsx'), later, later)
  build()
  expect(lines).toEqual([BUILDING, BUILDING])
})

test('the service starts even if the page cannot be built', async () => {
  await writeFile(join(folder, 'index.html'), '<script type="module" src="/src/nowhere.ts"></script>')
  build()
  expect(lines).toEqual([BUILDING, expect.stringContaining('The web page could not be built')])
})

test.each([
  [['start', '--port', '8080'], true],
  [['dev'], true],
  [['start', '--help'], false],
  [['tx', 'list'], false],
  [['key', 'create', '--name', 'dev'], false],
  [[], false],
])('%j serves the page: %s', (args, expected) => {
  expect(servesPage(args)).toBe(expected)
})
