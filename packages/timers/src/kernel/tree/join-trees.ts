/** Joins and splits of whole balanced trees, for batches: m changes to n entries cost m·log(n/m). */
import { balance, buildTree, type Compare, DELTA, glue, type MapNode, nodeOf, type Tree } from './balanced-tree.ts'

function putFirst<K, V>(node: Tree<K, V>, key: K, value: V): MapNode<K, V> {
  if (node === null) return nodeOf(key, value, null, null)
  return balance(node.key, node.value, putFirst(node.left, key, value), node.right)
}

function putLast<K, V>(node: Tree<K, V>, key: K, value: V): MapNode<K, V> {
  if (node === null) return nodeOf(key, value, null, null)
  return balance(node.key, node.value, node.left, putLast(node.right, key, value))
}

/** Joins two trees of any sizes around a key that lies between them. */
function link<K, V>(key: K, value: V, left: Tree<K, V>, right: Tree<K, V>): MapNode<K, V> {
  if (left === null) return putFirst(right, key, value)
  if (right === null) return putLast(left, key, value)
  if (DELTA * left.size < right.size) {
    return balance(right.key, right.value, link(key, value, left, right.left), right.right)
  }
  if (DELTA * right.size < left.size) {
    return balance(left.key, left.value, left.left, link(key, value, left.right, right))
  }
  return nodeOf(key, value, left, right)
}

function merge<K, V>(left: Tree<K, V>, right: Tree<K, V>): Tree<K, V> {
  if (left === null) return right
  if (right === null) return left
  if (DELTA * left.size < right.size) return balance(right.key, right.value, merge(left, right.left), right.right)
  if (DELTA * right.size < left.size) return balance(left.key, left.value, left.left, merge(left.right, right))
  return glue(left, right)
}

export function splitTree<K, V>(
  node: Tree<K, V>,
  key: K,
  compare: Compare<K>,
): { readonly left: Tree<K, V>; readonly match: MapNode<K, V> | null; readonly right: Tree<K, V> } {
  if (node === null) return { left: null, match: null, right: null }
  const side = compare(key, node.key)
  if (side === 0) return { left: node.left, match: node, right: node.right }
  if (side < 0) {
    const parts = splitTree(node.left, key, compare)
    return { ...parts, right: link(node.key, node.value, parts.right, node.right) }
  }
  const parts = splitTree(node.right, key, compare)
  return { ...parts, left: link(node.key, node.value, node.left, parts.left) }
}

export function putMany<K, V>(
  node: Tree<K, V>,
  entries: readonly (readonly [K, V])[],
  from: number,
  to: number,
  compare: Compare<K>,
): Tree<K, V> {
  if (from >= to) return node
  if (node === null) return buildTree(entries, from, to)
  const at = lowerBound(from, to, (index) => compare((entries[index] as readonly [K, V])[0], node.key))
  const left = putMany(node.left, entries, from, at.index, compare)
  const right = putMany(node.right, entries, at.found ? at.index + 1 : at.index, to, compare)
  if (!at.found) return link(node.key, node.value, left, right)
  const entry = entries[at.index] as readonly [K, V]
  return link(entry[0], entry[1], left, right)
}

export function dropMany<K, V>(
  node: Tree<K, V>,
  keys: readonly K[],
  from: number,
  to: number,
  compare: Compare<K>,
): Tree<K, V> {
  if (from >= to || node === null) return node
  const at = lowerBound(from, to, (index) => compare(keys[index] as K, node.key))
  const left = dropMany(node.left, keys, from, at.index, compare)
  const right = dropMany(node.right, keys, at.found ? at.index + 1 : at.index, to, compare)
  if (at.found) return merge(left, right)
  return left === node.left && right === node.right ? node : link(node.key, node.value, left, right)
}

function lowerBound(from: number, to: number, side: (index: number) => number): { index: number; found: boolean } {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = side(middle)
    if (order === 0) return { index: middle, found: true }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return { index: low, found: false }
}
