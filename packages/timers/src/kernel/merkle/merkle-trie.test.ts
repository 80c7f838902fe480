import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { MerkleTrie } from './merkle-trie.ts'

const pair = fc.record({ key: fc.nat(20), value: fc.option(fc.nat(5)) })
const leaf = (key: number, value: number | null) => ({
  key: `0x${key.toString(16).padStart(2, '0')}` as Hex,
  value: value === null ? null : (`0x0${value}` as Hex),
})

describe('MerkleTrie', () => {
  test('its root depends on the pairs alone, not on how they got there', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), (steps) => {
        const pairs = new Map<number, number>()
        for (const { key, value } of steps) {
          if (value === null) pairs.delete(key)
          else pairs.set(key, value)
        }
        const direct = new MerkleTrie().apply([...pairs].reverse().map(([key, value]) => leaf(key, value)))
        const wandering = steps.reduce((trie, { key, value }) => {
          expect(trie.rootHash).toMatch(/^0x[0-9a-f]{64}$/)
          return trie.apply([leaf(key, value)])
        }, new MerkleTrie())
        expect(wandering.rootHash).toBe(direct.rootHash)
      }),
      { numRuns: 150 },
    )
  })
  test('every key and value counts, and old versions keep their root', () => {
    const one = new MerkleTrie().apply([leaf(1, 1)])
    const root = one.rootHash
    const roots = [one, one.apply([leaf(1, 2)]), one.apply([leaf(2, 1)]), one.apply([leaf(1, null)])].map(
      (trie) => trie.rootHash,
    )
    expect(new Set(roots).size).toBe(4)
    expect(one.rootHash).toBe(root)
    expect(roots[3]).toBe(`0x${'00'.repeat(32)}`)
  })
})
