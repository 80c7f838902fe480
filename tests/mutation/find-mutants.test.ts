import { expect, test } from 'vitest'
import { findMutants } from './find-mutants.ts'
import { instrument } from './instrument.ts'

const of = (text: string) => findMutants('a.ts', text).map(({ operator, mutated }) => [operator, mutated])

test.each([
  ['if (a < b) go', [['boundary', 'a <= b']]],
  ['x = a === b', [['equality', 'a !== b']]],
  ['x = a ?? b', [['fallback', 'a']]],
  ['x = !a', [['negation', 'a']]],
  ['x = a ? b : c', [['condition', 'b']]],
  ['x = Math.max(a, b)', [['call', 'Math.min(a, b)']]],
  ['x = list.filter((one) => one)', [['filter', 'list']]],
  ['go(a)', [['omission', 'undefined']]],
  ["x = 'a' + b", []],
  ['x = a.toString()', []],
  ['type A = true', []],
  ['interface A { b: 1 | 2 }', []],
  ["telemetry.log('warn', 'a')", []],
  ['x = a?.some((b) => b)', []],
])('%s', (text, changes) => {
  expect(of(text)).toEqual(changes)
})

test('several in one text, each active alone', () => {
  const text = 'return (a, b) => [a < b, a + b]\n'
  const mutants = findMutants('a.ts', text).map((mutant, id) => ({ ...mutant, id }))
  const run = (awake: number) => {
    const scope = globalThis as { __mutants?: unknown }
    scope.__mutants = { awake, passed: new Set() }
    const made = new Function(instrument(text, mutants))() as (a: number, b: number) => readonly unknown[]
    const answer = made(2, 2)
    delete scope.__mutants
    return answer
  }
  expect([run(9), run(0), run(1)]).toEqual([
    [false, 4],
    [true, 4],
    [false, 0],
  ])
})
