import { expect, test } from 'vitest'
import type { Address } from '../../core/hex.ts'
import { createBalanceReader } from './balance-reader.ts'

const address = (index: number): Address => `0x${String(index).padStart(40, '0')}`

function createChain() {
  const asked: { addresses: readonly Address[]; height: number; answer: (wei: readonly (bigint | null)[]) => void }[] =
    []
  const getBalances = (addresses: readonly Address[], height: number) =>
    new Promise<readonly (bigint | null)[]>((answer) => {
      asked.push({ addresses, height, answer })
    })
  return { asked, reader: createBalanceReader({ getBalances }) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('all that ask in one turn share a request, at the highest block', async () => {
  const { asked, reader } = createChain()
  const reads = [reader.read(address(1), 7), reader.read(address(2), 9), reader.read(address(1), 8)]
  await turn()
  expect(asked).toMatchObject([{ addresses: [address(1), address(2)], height: 9 }])
  asked[0]?.answer([10n, null])
  expect(await Promise.all(reads)).toEqual([10n, null, 10n])
})

test('those that come meanwhile share the next one', async () => {
  const { asked, reader } = createChain()
  const first = reader.read(address(1), 7)
  await turn()
  const later = [2, 3, 4].map((index) => reader.read(address(index), 8))
  await turn()
  expect(asked).toHaveLength(1)
  asked[0]?.answer([1n])
  await first
  await turn()
  expect(asked).toHaveLength(2)
  expect(asked[1]?.addresses).toHaveLength(3)
  asked[1]?.answer([2n, 3n, 4n])
  expect(await Promise.all(later)).toEqual([2n, 3n, 4n])
})

test('a failure reaches those who asked, and the next read still happens', async () => {
  let fails = true
  const reader = createBalanceReader({
    getBalances: async () => {
      if (fails) throw new TypeError('bug')
      return [5n]
    },
  })
  await expect(reader.read(address(1), 1)).rejects.toThrow(TypeError)
  await turn()
  fails = false
  expect(await reader.read(address(1), 2)).toBe(5n)
})
