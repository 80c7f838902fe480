import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffMaps, OrderedMap } from './ordered-map.ts'

const ascending = (a: number, b: number) => a - b
const pairsOf = (map: OrderedMap<number, number>) => [...map.entries()].map(({ key, value }) => [key, value])
const key = fc.integer({ min: 0, max: 60 })
const step = fc.oneof(
  fc.record({ type: fc.constant('set' as const), key, value: fc.nat(9) }),
  fc.record({ type: fc.constant('delete' as const), key }),
  fc.record({ type: fc.constant('setMany' as const), keys: fc.uniqueArray(key), value: fc.nat(9) }),
  fc.record({ type: fc.constant('deleteMany' as const), keys: fc.uniqueArray(key) }),
)

function isBalanced(node: OrderedMap<number, number>['root']): boolean {
  if (node === null) return true
  const left = node.left?.size ?? 0
  const right = node.right?.size ?? 0
  const even = left + right <= 1 || (left <= 3 * right && right <= 3 * left)
  return even && node.size === left + right + 1 && isBalanced(node.left) && isBalanced(node.right)
}

describe('OrderedMap', () => {
  test('behaves as a sorted list of pairs, stays balanced, and leaves old versions alone', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model = new Map<number, number>()
        let map = new OrderedMap<number, number>(ascending)
        for (const each of steps) {
          const before = map
          const pairsBefore = pairsOf(before)
          if (each.type === 'set') {
            map = map.set(each.key, each.value)
            model.set(each.key, each.value)
          } else if (each.type === 'delete') {
            map = map.delete(each.key)
            model.delete(each.key)
          } else if (each.type === 'setMany') {
            map = map.setMany([...each.keys].sort(ascending).map((k) => [k, each.value]))
            for (const k of each.keys) model.set(k, each.value)
          } else {
            map = map.deleteMany([...each.keys].sort(ascending))
            for (const k of each.keys) model.delete(k)
          }
          expect(pairsOf(map)).toEqual([...model].sort((a, b) => a[0] - b[0]))
          expect(map.size).toBe(model.size)
          expect(isBalanced(map.root)).toBe(true)
          expect(pairsOf(before)).toEqual(pairsBefore)
        }
        for (let k = 0; k <= 60; k += 1) {
          expect(map.get(k)).toBe(model.get(k))
          expect(map.has(k)).toBe(model.has(k))
        }
        expect(map.first()?.key).toBe([...model.keys()].sort(ascending)[0])
      }),
      { numRuns: 200 },
    )
  })

  test('lists from a bound on', () => {
    const map = OrderedMap.fromSorted(
      ascending,
      [1, 3, 5, 7].map((k) => [k, k] as const),
    )
    expect([...map.entries((k) => k <= 3)].map((node) => node.key)).toEqual([5, 7])
  })

  test('reports exactly what differs between any two versions', () => {
    const model = fc.dictionary(fc.integer({ min: 0, max: 30 }).map(String), fc.nat(3))
    fc.assert(
      fc.property(model, model, (a, b) => {
        const build = (record: Record<string, number>) =>
          Object.entries(record).reduce(
            (map, [k, v]) => map.set(Number(k), v),
            new OrderedMap<number, number>(ascending),
          )
        const seen: unknown[] = []
        diffMaps(build(a), build(b), (k, before, after) => seen.push([k, before, after]))
        const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].map(Number).sort(ascending)
        const expected = keys.filter((k) => a[k] !== b[k]).map((k) => [k, a[k], b[k]])
        expect(seen).toEqual(expected)
      }),
    )
  })
})
