import { decodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { CallProblem, encodeCall } from './encode-call.ts'

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'

function problemOf(call: { function: string; args: unknown[] }): { path: string; message: string } {
  try {
    encodeCall(call)
  } catch (error) {
    if (error instanceof CallProblem) return { path: error.path.join('.'), message: error.message }
    throw error
  }
  throw new Error('it was encoded')
}

describe('encoding', () => {
  test('a transfer, with an amount beyond what JSON numbers can say', () => {
    const data = encodeCall({
      function: 'transfer(address,uint256)',
      args: [ADDRESS, '123456789012345678901234567890'],
    })
    const abi = parseAbi(['function transfer(address,uint256)'])
    expect(decodeFunctionData({ abi, data }).args).toEqual([ADDRESS, 123456789012345678901234567890n])
  })

  test.each([
    ['f(uint256)', ['0x10'], 16n],
    ['f(uint256)', [16], 16n],
    ['f(int256)', ['-16'], -16n],
    ['f(int8)', [-128], -128],
    ['f(bool)', [true], true],
    ['f(string)', ['hällo'], 'hällo'],
    ['f(bytes)', ['0xABCD'], '0xabcd'],
    ['f(bytes4)', ['0xdeadbeef'], '0xdeadbeef'],
    ['f(uint8[2][])', [[['1', '2']]], [[1, 2]]],
    ['f((uint256,bool)[])', [[['7', true]]], [[7n, true]]],
    ['f((uint256 amount, address to) order)', [{ amount: '7', to: ADDRESS }], { amount: 7n, to: ADDRESS }],
    ['f((uint256 amount, address to) order)', [['7', ADDRESS]], { amount: 7n, to: ADDRESS }],
    ['function f(uint256 x) external returns (bool)', ['1'], 1n],
  ])('%s of %j', (signature, args, expected) => {
    const declaration = signature.startsWith('function') ? signature : `function ${signature}`
    const data = encodeCall({ function: signature, args })
    expect(data.slice(0, 10)).toBe(toFunctionSelector(declaration))
    expect(decodeFunctionData({ abi: parseAbi([declaration] as readonly string[]), data }).args).toEqual([expected])
  })

  test('a function without arguments', () => {
    expect(encodeCall({ function: 'pause()', args: [] })).toBe(toFunctionSelector('pause()'))
  })
})

describe('naming what is wrong', () => {
  test.each([
    ['transfer(address,uint256)', [ADDRESS], 'args', /must have 2 items, not 1/],
    ['transfer(address,uint256)', [ADDRESS, '1.5'], 'args.1', /whole number/],
    ['transfer(address,uint256)', [ADDRESS, 1.5], 'args.1', /whole number/],
    ['transfer(address,uint256)', [ADDRESS, 1e21], 'args.1', /whole number/],
    ['transfer(address,uint256)', [ADDRESS, '-1'], 'args.1', /does not fit in uint256/],
    ['transfer(address,uint256)', [ADDRESS.toLowerCase().replace('e', 'E'), '1'], 'args.0', /wrong checksum/],
    ['transfer(address,uint256)', ['0x12', '1'], 'args.0', /40 hex digits/],
    ['f(uint8)', ['256'], 'args.0', /does not fit in uint8/],
    ['f(int8)', ['-129'], 'args.0', /does not fit in int8/],
    ['f(bool)', ['true'], 'args.0', /true or false/],
    ['f(string)', [1], 'args.0', /string/],
    ['f(bytes)', ['0xabc'], 'args.0', /even number/],
    ['f(bytes4)', ['0xab'], 'args.0', /exactly 4 bytes/],
    ['f(uint8[2])', [['1']], 'args.0', /exactly 2 items/],
    ['f(uint8[])', [['1', 'x']], 'args.0.1', /whole number/],
    ['f(uint8[])', ['1'], 'args.0', /array of uint8/],
    ['f((uint8 a, bool b) t)', [{ a: '1', b: 'no' }], 'args.0.b', /true or false/],
    ['f((uint8 a, bool b) t)', [{ a: '1', b: true, c: 1 }], 'args.0.c', /not a field of this tuple/],
    ['f((uint8,bool))', [{ a: '1' }], 'args.0', /array of its fields/],
    ['transfer', [], 'function', /signature like/],
    ['f(uint257)', ['1'], 'function', /signature like/],
    ['event Transfer(address)', [ADDRESS], 'function', /signature/],
  ])('%s of %j', (signature, args, path, message) => {
    const problem = problemOf({ function: signature, args })
    expect(problem.path).toBe(path)
    expect(problem.message).toMatch(message)
  })
})
