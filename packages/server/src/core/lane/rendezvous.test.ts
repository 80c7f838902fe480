import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { laneKey } from './lane.ts'
import { hash, rankNodes } from './rendezvous.ts'

const lanes = Array.from({ length: 10_000 }, (_, index) =>
  laneKey({ chainId: index % 2 === 0 ? 1 : 137, signer: `0x${index.toString(16).padStart(40, '0')}` }),
)
const nodes = Array.from({ length: 8 }, (_, index) => `0198c3d2-77aa-7000-8000-00000000000${index}`)

function ownersAmong(nodeIds: readonly string[]): readonly (string | undefined)[] {
  return lanes.map((lane) => rankNodes(lane, nodeIds)[0])
}

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 10 })

describe('the order', () => {
  test('is the same whatever order the nodes are known in', () => {
    const property = fc.property(names, fc.string(), fc.infiniteStream(fc.nat()), (ids, key, dice) => {
      const shuffled = ids
        .map((id) => ({ id, place: dice.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ id }) => id)
      expect(rankNodes(key, shuffled)).toEqual(rankNodes(key, ids))
    })
    fc.assert(property)
  })

  test('names every node once', () => {
    const property = fc.property(names, fc.string(), (ids, key) => {
      expect([...rankNodes(key, ids)].sort()).toEqual([...ids].sort())
    })
    fc.assert(property)
  })

  test('of the others does not change when one goes', () => {
    const property = fc.property(names, fc.string(), fc.nat(), (ids, key, pick) => {
      const gone = ids[pick % ids.length]
      const rest = ids.filter((id) => id !== gone)
      expect(rankNodes(key, rest)).toEqual(rankNodes(key, ids).filter((id) => id !== gone))
    })
    fc.assert(property)
  })

  test('without nodes is empty', () => {
    expect(rankNodes('1:0x00', [])).toEqual([])
  })
})

describe('the spread', () => {
  // A fair share of 10,000 lanes over 8 nodes is 1,250 with a standard deviation of 33; five of those are allowed.
  test('over nodes whose names differ in one character is even', () => {
    const shares = new Map(nodes.map((node) => [node, 0]))
    for (const owner of ownersAmong(nodes)) shares.set(owner ?? '', (shares.get(owner ?? '') ?? 0) + 1)
    expect(shares.size).toBe(8)
    for (const share of shares.values()) expect(Math.abs(share - 1_250)).toBeLessThan(165)
  })

  test('of one that goes is even over those that stay, and nothing else moves', () => {
    const before = ownersAmong(nodes)
    const gone = nodes[3]
    const after = ownersAmong(nodes.filter((node) => node !== gone))
    const heirs = new Map<string, number>()
    before.forEach((owner, index) => {
      const heir = after[index] ?? ''
      if (owner !== gone) expect(heir).toBe(owner)
      else heirs.set(heir, (heirs.get(heir) ?? 0) + 1)
    })
    // About 1,250 lanes over 7 heirs: 179 each, standard deviation 12.4.
    expect(heirs.size).toBe(7)
    for (const share of heirs.values()) expect(Math.abs(share - 179)).toBeLessThan(62)
  })

  test('a node that comes takes only its own share', () => {
    const before = ownersAmong(nodes.slice(0, 7))
    const after = ownersAmong(nodes)
    const moved = after.filter((owner, index) => owner !== before[index])
    expect(new Set(moved)).toEqual(new Set([nodes[7]]))
    expect(Math.abs(moved.length - 1_250)).toBeLessThan(165)
  })
})

test('the hash is a whole number of 32 bits, and stays what it is: nodes of two versions must agree', () => {
  expect(['', 'a', 'node-a|1:0x00', 'ü'].map(hash)).toMatchInlineSnapshot(`
    [
      2872998923,
      444641715,
      3504011927,
      134528209,
    ]
  `)
  fc.assert(fc.property(fc.string(), (text) => Number.isInteger(hash(text)) && hash(text) >= 0 && hash(text) < 2 ** 32))
})
