/** The balanced tree under `OrderedMap`: inserts and deletes that copy the path to their place. */
export interface MapNode<K, V> {
  readonly key: K
  readonly value: V
  readonly left: Tree<K, V>
  readonly right: Tree<K, V>
  readonly size: number
}
export type Tree<K, V> = MapNode<K, V> | null
export type Compare<K> = (a: K, b: K) => number

/** One side may have this many times the entries of the other. */
export const DELTA = 3
const RATIO = 2

export function sizeOf<K, V>(tree: Tree<K, V>): number {
  return tree === null ? 0 : tree.size
}

export function nodeOf<K, V>(key: K, value: V, left: Tree<K, V>, right: Tree<K, V>): MapNode<K, V> {
  return { key, value, left, right, size: sizeOf(left) + sizeOf(right) + 1 }
}

export function buildTree<K, V>(entries: readonly (readonly [K, V])[], from: number, to: number): Tree<K, V> {
  if (from >= to) return null
  const middle = (from + to) >>> 1
  const entry = entries[middle] as readonly [K, V]
  return nodeOf(entry[0], entry[1], buildTree(entries, from, middle), buildTree(entries, middle + 1, to))
}

/** Joins after one side changed by at most one entry, or by what `link` left over. */
export function balance<K, V>(key: K, value: V, left: Tree<K, V>, right: Tree<K, V>): MapNode<K, V> {
  const leftSize = sizeOf(left)
  const rightSize = sizeOf(right)
  if (leftSize + rightSize > 1) {
    if (right !== null && rightSize > DELTA * leftSize) return rotateLeft(key, value, left, right)
    if (left !== null && leftSize > DELTA * rightSize) return rotateRight(key, value, left, right)
  }
  return { key, value, left, right, size: leftSize + rightSize + 1 }
}

function rotateLeft<K, V>(key: K, value: V, left: Tree<K, V>, right: MapNode<K, V>): MapNode<K, V> {
  const inner = right.left
  if (inner === null || inner.size < RATIO * sizeOf(right.right)) {
    return nodeOf(right.key, right.value, nodeOf(key, value, left, inner), right.right)
  }
  const outer = nodeOf(right.key, right.value, inner.right, right.right)
  return nodeOf(inner.key, inner.value, nodeOf(key, value, left, inner.left), outer)
}

function rotateRight<K, V>(key: K, value: V, left: MapNode<K, V>, right: Tree<K, V>): MapNode<K, V> {
  const inner = left.right
  if (inner === null || inner.size < RATIO * sizeOf(left.left)) {
    return nodeOf(left.key, left.value, left.left, nodeOf(key, value, inner, right))
  }
  const outer = nodeOf(left.key, left.value, left.left, inner.left)
  return nodeOf(inner.key, inner.value, outer, nodeOf(key, value, inner.right, right))
}

export function putNode<K, V>(node: Tree<K, V>, key: K, value: V, compare: Compare<K>): MapNode<K, V> {
  if (node === null) return { key, value, left: null, right: null, size: 1 }
  const side = compare(key, node.key)
  if (side === 0) {
    if (node.value === value && node.key === key) return node
    return { key, value, left: node.left, right: node.right, size: node.size }
  }
  if (side < 0) {
    const left = putNode(node.left, key, value, compare)
    return left === node.left ? node : balance(node.key, node.value, left, node.right)
  }
  const right = putNode(node.right, key, value, compare)
  return right === node.right ? node : balance(node.key, node.value, node.left, right)
}

export function dropNode<K, V>(node: Tree<K, V>, key: K, compare: Compare<K>): Tree<K, V> {
  if (node === null) return null
  const side = compare(key, node.key)
  if (side === 0) return glue(node.left, node.right)
  if (side < 0) {
    const left = dropNode(node.left, key, compare)
    return left === node.left ? node : balance(node.key, node.value, left, node.right)
  }
  const right = dropNode(node.right, key, compare)
  return right === node.right ? node : balance(node.key, node.value, node.left, right)
}

/** Joins two balanced neighbours whose sizes already fit one another. */
export function glue<K, V>(left: Tree<K, V>, right: Tree<K, V>): Tree<K, V> {
  if (left === null) return right
  if (right === null) return left
  if (left.size > right.size) {
    let last = left
    while (last.right !== null) last = last.right
    return balance(last.key, last.value, dropLast(left), right)
  }
  let first = right
  while (first.left !== null) first = first.left
  return balance(first.key, first.value, left, dropFirst(right))
}

function dropFirst<K, V>(node: MapNode<K, V>): Tree<K, V> {
  return node.left === null ? node.right : balance(node.key, node.value, dropFirst(node.left), node.right)
}

function dropLast<K, V>(node: MapNode<K, V>): Tree<K, V> {
  return node.right === null ? node.left : balance(node.key, node.value, node.left, dropLast(node.right))
}
