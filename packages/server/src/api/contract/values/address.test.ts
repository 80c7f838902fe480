import { expect, test } from 'vitest'
import { checksumText } from './address.ts'

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('addresses in a sentence are checksummed, hashes are left as they are', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const sentence = (address: string) => `Send funds to ${address} on chain 1; ${hash} used its nonce.`
  expect(checksumText(sentence(ADDRESS.toLowerCase()))).toBe(sentence(ADDRESS))
  expect(checksumText(sentence(ADDRESS))).toBe(sentence(ADDRESS))
})
