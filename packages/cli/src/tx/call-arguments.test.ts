import { expect, test } from 'vitest'
import { readCallArguments } from './call-arguments.ts'

test.each<[string, readonly string[], readonly unknown[]]>([
  ['transfer(address,uint256)', ['0xabc', '1000000000000000000000'], ['0xabc', '1000000000000000000000']],
  ['function transfer(address to, uint256 amount) returns (bool)', ['0xabc', '1'], ['0xabc', '1']],
  ['f()', [], []],
  ['f(bool,string,bytes)', ['true', 'true', '0x00'], [true, 'true', '0x00']],
  [
    'f(uint256[],string[2] names)',
    ['["1","2"]', '["a","b"]'],
    [
      ['1', '2'],
      ['a', 'b'],
    ],
  ],
  [
    'f((address to, uint256 value) pay, bool ok)',
    ['{"to":"0xabc","value":"1"}', 'false'],
    [{ to: '0xabc', value: '1' }, false],
  ],
  ['f((uint8,(bool,string)[])[] list,uint8)', ['[["1",[[true,"x"]]]]', '7'], [[['1', [[true, 'x']]]], '7']],
])('%s', (signature, texts, args) => {
  expect(readCallArguments(signature, texts)).toEqual({ args })
})

test.each<[string, readonly string[], string]>([
  ['transfer', [], 'must be a signature'],
  ['transfer(address', ['x'], 'must be a signature'],
  ['f(bool)', ['yes'], '--arg number 1 must be true or false'],
  ['f(uint8,uint256[])', ['1', '1,2'], '--arg number 2 must be JSON'],
  ['f(uint8)', [], 'takes 1 arguments, but --arg was given 0 times'],
])('%s with %j is refused', (signature, texts, problem) => {
  expect(readCallArguments(signature, texts)).toEqual({ problem: expect.stringContaining(problem) })
})
