/**
 * A persistent Merkle tree over key-value pairs: its root depends on the pairs alone, not on how they got there.
 *
 * It is a binary radix tree over keccak256(key) without one-child nodes, so a set of pairs has exactly one shape.
 * leaf = H(0x00 ‖ path ‖ value), branch = H(0x01 ‖ bit ‖ left ‖ right), empty = 32 zero bytes. Hashes are computed when
 * a root is asked for and kept in the nodes, so a block hashes only the paths it changed. Changes are sorted and merged
 * into the tree in one pass.
 */
import { bytesOf, type Hex, hexOf } from '../bytes/hex.ts'
import { keccak256 } from '../bytes/keccak.ts'
import { bitAt, firstDifference, hashBranch, hashLeaf } from './node-hash.ts'

/** A change of one pair; no value removes it. */
export interface LeafChange {
  readonly key: Hex
  readonly value: Hex | null
}

interface Leaf {
  readonly type: 'leaf'
  readonly path: Uint8Array
  readonly value: Uint8Array
  hash: Uint8Array | null
}

interface Branch {
  readonly type: 'branch'
  /** The first bit in which the two sides differ; all before it is shared with `path`. */
  readonly bit: number
  readonly path: Uint8Array
  readonly left: Node
  readonly right: Node
  hash: Uint8Array | null
}

type Node = Leaf | Branch

/** A change by the path of its key; `order` has the path's first bytes, to sort by. */
interface PathChange {
  readonly path: Uint8Array
  readonly order: number
  readonly leaf: Leaf | null
}

/** The way from the root to a leaf: what stands on the other side at each branch. */
export interface Sibling {
  readonly bit: number
  readonly hash: Hex
}

/** A leaf as it was found, with the way to it. */
export interface FoundLeaf {
  readonly path: Hex
  readonly value: Hex
  /** From the root down. */
  readonly siblings: readonly Sibling[]
}

const EMPTY_ROOT: Hex = `0x${'00'.repeat(32)}`

export class MerkleTrie {
  readonly #root: Node | null

  constructor(root: Node | null = null) {
    this.#root = root
  }

  /** Of several changes of one key the last one counts. */
  apply(changes: Iterable<LeafChange>): MerkleTrie {
    const sorted = sortChanges(changes)
    return new MerkleTrie(mergeChanges(this.#root, sorted, 0, sorted.length))
  }

  get rootHash(): Hex {
    return this.#root === null ? EMPTY_ROOT : hexOf(hashNode(this.#root))
  }

  /** The one leaf that a key's own bits lead to, be it the key's or not; null in an empty tree. */
  findLeaf(key: Hex): FoundLeaf | null {
    const path = keccak256(bytesOf(key, 2))
    const siblings: Sibling[] = []
    let node = this.#root
    while (node?.type === 'branch') {
      const right = bitAt(path, node.bit)
      siblings.push({ bit: node.bit, hash: hexOf(hashNode(right ? node.left : node.right)) })
      node = right ? node.right : node.left
    }
    return node === null ? null : { path: hexOf(node.path), value: hexOf(node.value), siblings }
  }
}

function sortChanges(changes: Iterable<LeafChange>): PathChange[] {
  const list: PathChange[] = []
  for (const { key, value } of changes) {
    const path = keccak256(bytesOf(key, 2))
    const leaf: Leaf | null = value === null ? null : { type: 'leaf', path, value: bytesOf(value, 2), hash: null }
    list.push({ path, order: orderOf(path), leaf })
  }
  list.sort(compareChanges)
  return list.filter((change, at) => {
    const next = list[at + 1]
    return next === undefined || compareChanges(change, next) !== 0
  })
}

function orderOf(path: Uint8Array): number {
  let order = 0
  for (let at = 0; at < 6; at += 1) order = order * 256 + (path[at] ?? 0)
  return order
}

function compareChanges(a: PathChange, b: PathChange): number {
  if (a.order !== b.order) return a.order - b.order
  const bit = firstDifference(a.path, b.path)
  return bit === 256 ? 0 : bitAt(a.path, bit) ? 1 : -1
}

/** Merges changes `from` to `to`, which are sorted and each of another path, into a subtree. */
function mergeChanges(node: Node | null, changes: readonly PathChange[], from: number, to: number): Node | null {
  const first = changes[from]
  if (from >= to || first === undefined) return node
  const last = changes[to - 1] as PathChange
  if (node === null) {
    if (to - from === 1) return first.leaf
    const bit = firstDifference(first.path, last.path)
    const middle = splitAt(changes, from, to, bit)
    return join(bit, mergeChanges(null, changes, from, middle), mergeChanges(null, changes, middle, to))
  }
  const bit = Math.min(firstDifference(first.path, node.path), firstDifference(last.path, node.path))
  if (node.type === 'branch' && bit >= node.bit) {
    const middle = splitAt(changes, from, to, node.bit)
    const left = mergeChanges(node.left, changes, from, middle)
    const right = mergeChanges(node.right, changes, middle, to)
    return left === node.left && right === node.right ? node : join(node.bit, left, right)
  }
  if (bit === 256) return first.leaf
  const middle = splitAt(changes, from, to, bit)
  const onRight = bitAt(node.path, bit)
  const left = mergeChanges(onRight ? null : node, changes, from, middle)
  const right = mergeChanges(onRight ? node : null, changes, middle, to)
  return join(bit, left, right)
}

/** The first of the changes that has this bit set. */
function splitAt(changes: readonly PathChange[], from: number, to: number, bit: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bitAt((changes[middle] as PathChange).path, bit)) high = middle
    else low = middle + 1
  }
  return low
}

function join(bit: number, left: Node | null, right: Node | null): Node | null {
  if (left === null) return right
  if (right === null) return left
  return { type: 'branch', bit, path: left.path, left, right, hash: null }
}

function hashNode(node: Node): Uint8Array {
  node.hash ??=
    node.type === 'leaf'
      ? hashLeaf(node.path, node.value)
      : hashBranch(node.bit, hashNode(node.left), hashNode(node.right))
  return node.hash
}
