import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { decodeCall, nameCall } from './known-calls.ts'

const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

test('a token transfer is told with its arguments', () => {
  const abi = parseAbi(['function transfer(address to, uint256 amount)'])
  const data = encodeFunctionData({ abi, args: [TO, 1_234_567n] })
  expect(decodeCall(data)).toEqual({
    name: 'transfer',
    args: [
      { name: 'to', type: 'address', value: TO },
      { name: 'amount', type: 'uint256', value: '1,234,567' },
    ],
  })
})

/** Spelled out again, so that a wrong selector in the table is found. */
test.each([
  'transfer(address,uint256)',
  'approve(address,uint256)',
  'transferFrom(address,address,uint256)',
  'safeTransferFrom(address,address,uint256)',
  'setApprovalForAll(address,bool)',
  'mint(address,uint256)',
  'burn(uint256)',
  'burnFrom(address,uint256)',
  'deposit()',
  'withdraw(uint256)',
  'pause()',
  'unpause()',
  'transferOwnership(address)',
  'renounceOwnership()',
  'grantRole(bytes32,address)',
  'revokeRole(bytes32,address)',
])('%s has its name', (signature) => {
  expect(nameCall(toFunctionSelector(signature))).toBe(signature.slice(0, signature.indexOf('(')))
})

test('what is unknown or does not fit is not guessed at', () => {
  expect(decodeCall('0x12345678')).toBeNull()
  expect(nameCall('0x12345678')).toBe('0x12345678')
  expect(decodeCall(`0xa9059cbb${'0'.repeat(64)}`)).toBeNull()
  expect(decodeCall(`0xa9059cbb${'f'.repeat(128)}`)).toBeNull()
  expect(decodeCall(`0xa22cb465${'0'.repeat(64)}${'0'.repeat(63)}2`)).toBeNull()
})
