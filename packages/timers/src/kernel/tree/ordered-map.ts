/**
 * A persistent ordered map: every change returns a new map and leaves the old one as it was.
 *
 * It is a weight-balanced tree with path copying, so a snapshot costs nothing, a rewind is keeping the old reference,
 * and two versions share all they have in common. Batches go through `link`, which costs m·log(n/m) for m changes to n
 * entries; `diffMaps` walks two versions and skips what they share, so it costs what changed.
 * Balance follows Data.Map (delta 3, ratio 2).
 */
import { buildTree, type Compare, dropNode, type MapNode, putNode, sizeOf, type Tree } from './balanced-tree.ts'
import { dropMany, putMany, splitTree } from './join-trees.ts'

export class OrderedMap<K, V> {
  readonly root: Tree<K, V>
  readonly compare: Compare<K>

  constructor(compare: Compare<K>, root: Tree<K, V> = null) {
    this.compare = compare
    this.root = root
  }

  /** Builds from entries that are sorted and free of repeats. */
  static fromSorted<K, V>(compare: Compare<K>, entries: readonly (readonly [K, V])[]): OrderedMap<K, V> {
    return new OrderedMap(compare, buildTree(entries, 0, entries.length))
  }

  get size(): number {
    return sizeOf(this.root)
  }

  get(key: K): V | undefined {
    let node = this.root
    while (node !== null) {
      const side = this.compare(key, node.key)
      if (side === 0) return node.value
      node = side < 0 ? node.left : node.right
    }
    return undefined
  }

  has(key: K): boolean {
    let node = this.root
    while (node !== null) {
      const side = this.compare(key, node.key)
      if (side === 0) return true
      node = side < 0 ? node.left : node.right
    }
    return false
  }

  set(key: K, value: V): OrderedMap<K, V> {
    const root = putNode(this.root, key, value, this.compare)
    return root === this.root ? this : new OrderedMap(this.compare, root)
  }

  delete(key: K): OrderedMap<K, V> {
    const root = dropNode(this.root, key, this.compare)
    return root === this.root ? this : new OrderedMap(this.compare, root)
  }

  /** Sets many entries at once; they must be sorted and free of repeats. */
  setMany(entries: readonly (readonly [K, V])[]): OrderedMap<K, V> {
    if (entries.length === 0) return this
    return new OrderedMap(this.compare, putMany(this.root, entries, 0, entries.length, this.compare))
  }

  /** Deletes many keys at once; they must be sorted and free of repeats. */
  deleteMany(keys: readonly K[]): OrderedMap<K, V> {
    if (keys.length === 0) return this
    return new OrderedMap(this.compare, dropMany(this.root, keys, 0, keys.length, this.compare))
  }

  /** The entry with the greatest key at or before this one. */
  floor(key: K): MapNode<K, V> | null {
    let best: Tree<K, V> = null
    let node = this.root
    while (node !== null) {
      const side = this.compare(key, node.key)
      if (side === 0) return node
      if (side > 0) best = node
      node = side < 0 ? node.left : node.right
    }
    return best
  }

  /** How many entries stand in the leading run for which `isBefore` is true. */
  countBefore(isBefore: (key: K) => boolean): number {
    let count = 0
    let node = this.root
    while (node !== null) {
      if (isBefore(node.key)) {
        count += sizeOf(node.left) + 1
        node = node.right
      } else {
        node = node.left
      }
    }
    return count
  }

  first(): MapNode<K, V> | null {
    let node = this.root
    while (node?.left) node = node.left
    return node
  }

  /** Entries in order, from the first key that `isBefore` refuses; `isBefore` must be true for a leading run only. */
  *entries(isBefore?: (key: K) => boolean): Generator<MapNode<K, V>, undefined, undefined> {
    const path: MapNode<K, V>[] = []
    let node = this.root
    while (node !== null || path.length > 0) {
      while (node !== null) {
        if (isBefore?.(node.key)) {
          node = node.right
        } else {
          path.push(node)
          node = node.left
        }
      }
      const next = path.pop()
      if (next === undefined) return undefined
      yield next
      node = next.right
    }
    return undefined
  }

  *values(): Generator<V, void, undefined> {
    for (const node of this.entries()) yield node.value
  }
}

/** Reports each key that differs between two versions, in order; `undefined` marks the absent side. */
export function diffMaps<K, V>(
  before: OrderedMap<K, V>,
  after: OrderedMap<K, V>,
  report: (key: K, before: V | undefined, after: V | undefined) => void,
): void {
  const { compare } = after
  function visit(a: Tree<K, V>, b: Tree<K, V>): void {
    if (a === b) return
    if (b === null) {
      if (a === null) return
      visit(a.left, null)
      report(a.key, a.value, undefined)
      visit(a.right, null)
      return
    }
    const parts = splitTree(a, b.key, compare)
    visit(parts.left, b.left)
    if (parts.match === null) report(b.key, undefined, b.value)
    else if (parts.match.value !== b.value) report(b.key, parts.match.value, b.value)
    visit(parts.right, b.right)
  }
  visit(before.root, after.root)
}
