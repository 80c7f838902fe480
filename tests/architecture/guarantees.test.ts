/** Every guarantee has a test, every tag a guarantee, and what is said to hold a guarantee is there. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findTagProblems, findTags, GUARANTEES, listTaggedTests } from '../../scripts/guarantees.ts'
import { ROOT } from '../../scripts/references.ts'

const NAMES = Array.from({ length: 12 }, (_, index) => `G${index + 1}`)

test('there are twelve, each has a test, and no test names an unknown one', () => {
  expect(Object.keys(GUARANTEES)).toEqual(NAMES)
  expect(findTagProblems(NAMES, listTaggedTests())).toEqual([])
})

test.each(Object.entries(GUARANTEES))('the files named for %s exist', (_, { heldBy }) => {
  expect(heldBy.length).toBeGreaterThan(0)
  expect(heldBy.filter(([file]) => !existsSync(new URL(file, ROOT)))).toEqual([])
})

test('tags are read from titles in any kind of quotes', () => {
  const text = [
    "test('nothing is lost [G1]', () => {})",
    "test(`many at once: it's kept [G2] [G3]`, () => {})",
    "])('a row of %s isn\\'t lost [G4]', () => {})",
    '// the first of [G5] is no title',
  ].join('\n')
  expect(findTags('a.test.ts', text).map(({ guarantee, title }) => [guarantee, title])).toEqual([
    ['G1', 'nothing is lost'],
    ['G2', "many at once: it's kept"],
    ['G3', "many at once: it's kept"],
    ['G4', "a row of %s isn't lost"],
  ])
})

test('a guarantee without a test is found, and so is a tag without a guarantee', () => {
  const tests = [
    { guarantee: 'G1', file: 'a.test.ts', title: 'one' },
    { guarantee: 'G13', file: 'a.test.ts', title: 'two' },
  ]
  expect(findTagProblems(['G1', 'G2'], tests)).toEqual(['G2 has no test', 'there is no G13: a.test.ts: two'])
})
