/** The files that the documents name are there: a file that moved is named by its new place. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SECONDS } from '../setup/longest-first.ts'

const ROOT = new URL('../../', import.meta.url)
const SOURCES = ['', 'packages/server/src/', 'packages/server/']
const NAMED = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|cjs|mjs|sql|json|md))`/g

const DOCUMENTS = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(new URL('docs/', ROOT)).map((name) => `docs/${name}`),
]

test.each(DOCUMENTS.filter((path) => path.endsWith('.md')))('%s', (path) => {
  const named = [...readFileSync(new URL(path, ROOT), 'utf8').matchAll(NAMED)].map(([, name = '']) => name)
  const missing = named.filter((name) => !SOURCES.some((source) => existsSync(new URL(source + name, ROOT))))
  expect(missing).toEqual([])
})

test('ARCHITECTURE.md names files', () => {
  expect(readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8').match(NAMED)?.length).toBeGreaterThan(10)
})

test('the order of test files names files that exist', () => {
  expect(Object.keys(SECONDS).filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([])
})
