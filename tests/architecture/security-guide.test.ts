/** Every row of the threat model names a test that exists. Whether it tries that threat, a reader has to judge. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(`${ROOT}/docs/security.md`, 'utf8')

/** The cells of all rows, without headings. */
const rows = guide
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.endsWith('| tested in |'))
  .map((line) => line.slice(2, -2).split(' | '))

test('there are rows, each with four cells', () => {
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter((cells) => cells.length !== 4)).toEqual([])
})

test.each(rows.map((cells) => [cells[0], cells[2], cells[3]] as const))('%s', (_, defence, tested = '') => {
  // What is not defended says so.
  if (tested === 'none') return void expect(defence).toMatch(/^none: /)
  const [, path = '', title = ''] = /^`([\w./-]+)`: (.+)$/.exec(tested) ?? []
  expect(existsSync(`${ROOT}/${path}`), path).toBe(true)
  expect(readFileSync(`${ROOT}/${path}`, 'utf8')).toContain(title)
})
