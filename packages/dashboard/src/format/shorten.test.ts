import { expect, test } from 'vitest'
import { shortenAddress, shortenHash, shortenId } from './shorten.ts'

test('long names keep both ends, short ones are left whole', () => {
  expect(shortenAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).toBe('0xf39F…2266')
  expect(shortenHash(`0x${'ab'.repeat(32)}`)).toBe('0xababab…ababab')
  expect(shortenId('0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1')).toBe('…0c9a77d1')
  expect([shortenAddress('0x12'), shortenId('node-1')]).toEqual(['0x12', 'node-1'])
})
