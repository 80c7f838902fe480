import { decodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { encodeCall, readFunctions } from './encode-call.ts'

const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function only(text: string) {
  const read = readFunctions(text)
  if (read.type === 'problem' || read.functions[0] === undefined) throw new Error('no function')
  return read.functions[0]
}

function decode(signature: string, texts: readonly string[]): readonly unknown[] {
  const encoded = encodeCall(only(signature), texts)
  if (encoded.type === 'problem') throw new Error(encoded.message)
  const abi = parseAbi([`function ${signature}`] as readonly string[])
  return decodeFunctionData({ abi, data: encoded.data as `0x${string}` }).args as readonly unknown[]
}

test('a call is made from a signature and arguments as text', () => {
  expect(decode('transfer(address to, uint256 amount)', [TO, ' 12 '])).toEqual([TO, 12n])
  expect(decode('set(bool on, bytes32 key, string name)', ['true', `0x${'ab'.repeat(32)}`, 'a b'])).toEqual([
    true,
    `0x${'ab'.repeat(32)}`,
    'a b',
  ])
})

test('lists and tuples are JSON, with large numbers as text', () => {
  const large = '115792089237316195423570985008687907853269984665640564039457584007913129639935'
  expect(decode('pay(address[] to, uint256[] amounts)', [`["${TO}"]`, `[1, "${large}"]`].slice(0, 2))).toEqual([
    [TO],
    [1n, BigInt(large)],
  ])
  expect(decode('put((address who, uint8 how) item)', [`["${TO}", 3]`])).toEqual([{ who: TO, how: 3 }])
  expect(decode('put((address who, uint8 how) item)', [`{"how": 3, "who": "${TO}"}`])).toEqual([{ who: TO, how: 3 }])
})

test('of an ABI, or of what a compiler wrote, the functions that change something are offered', () => {
  const abi = [
    { type: 'function', name: 'get', inputs: [], outputs: [], stateMutability: 'view' },
    { type: 'function', name: 'poke', inputs: [], outputs: [], stateMutability: 'nonpayable' },
    { type: 'event', name: 'Poked', inputs: [] },
  ]
  for (const text of [JSON.stringify(abi), JSON.stringify({ contractName: 'X', abi })]) {
    expect(readFunctions(text)).toMatchObject({ type: 'functions', functions: [{ name: 'poke' }] })
  }
})

test.each(['', 'transfer', '[1', '{}', '[]', 'function ('])('what is no function is refused with words: %j', (text) => {
  expect(readFunctions(text)).toMatchObject({ type: 'problem' })
})

test.each([
  ['f(uint8 a)', ['300'], 0],
  ['f(uint256 a)', ['1.5'], 0],
  ['f(bool a, address b)', ['true', '0x12'], 1],
  ['f(bool a)', ['yes'], 0],
  ['f(bytes a)', ['0x123'], 0],
  ['f(uint256[] a)', ['1, 2'], 0],
])('a wrong argument is named: %s %j', (signature, texts, index) => {
  expect(encodeCall(only(signature), texts)).toMatchObject({ type: 'problem', index })
})
