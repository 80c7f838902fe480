/**
 * A persistent Merkle tree over key-value pairs: its root depends on the pairs alone, not on how they got there.
 *
 * It is a binary radix tree over keccak256(key) without one-child nodes, so a set of pairs has exactly one shape.
 * leaf = H(0x00 ‖ path ‖ value), branch = H(0x01 ‖ bit ‖ left ‖ right), empty = 32 zero bytes. Hashes are computed when
 * a root is asked for and kept in the nodes, so a block hashes only the paths it changed.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '../bytes/hex.ts'

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

const EMPTY_ROOT: Hex = `0x${'00'.repeat(32)}`
const LEAF_TAG = Uint8Array.of(0)

export class MerkleTrie {
  readonly #root: Node | null

  constructor(root: Node | null = null) {
    this.#root = root
  }

  apply(changes: Iterable<LeafChange>): MerkleTrie {
    let root = this.#root
    for (const { key, value } of changes) {
      const path = keccak_256(hexToBytes(key.slice(2)))
      if (value === null) root = dropLeaf(root, path)
      else root = putLeaf(root, { type: 'leaf', path, value: hexToBytes(value.slice(2)), hash: null })
    }
    return new MerkleTrie(root)
  }

  get rootHash(): Hex {
    return this.#root === null ? EMPTY_ROOT : `0x${bytesToHex(hashNode(this.#root))}`
  }
}

function putLeaf(node: Node | null, leaf: Leaf): Node {
  if (node === null) return leaf
  const bit = firstDifference(node.path, leaf.path)
  if (node.type === 'leaf' && bit === 256) return leaf
  if (node.type === 'leaf' || bit < node.bit) return join(bit, node, leaf)
  if (bitAt(leaf.path, node.bit)) return branchOf(node.bit, node.left, putLeaf(node.right, leaf))
  return branchOf(node.bit, putLeaf(node.left, leaf), node.right)
}

function dropLeaf(node: Node | null, path: Uint8Array): Node | null {
  if (node === null) return null
  if (node.type === 'leaf') return firstDifference(node.path, path) === 256 ? null : node
  const right = bitAt(path, node.bit)
  const before = right ? node.right : node.left
  const after = dropLeaf(before, path)
  if (after === before) return node
  if (after === null) return right ? node.left : node.right
  return right ? branchOf(node.bit, node.left, after) : branchOf(node.bit, after, node.right)
}

function join(bit: number, node: Node, leaf: Leaf): Branch {
  return bitAt(leaf.path, bit) ? branchOf(bit, node, leaf) : branchOf(bit, leaf, node)
}

function branchOf(bit: number, left: Node, right: Node): Branch {
  return { type: 'branch', bit, path: left.path, left, right, hash: null }
}

function hashNode(node: Node): Uint8Array {
  node.hash ??=
    node.type === 'leaf'
      ? keccak_256(concatBytes(LEAF_TAG, node.path, node.value))
      : keccak_256(concatBytes(Uint8Array.of(1, node.bit), hashNode(node.left), hashNode(node.right)))
  return node.hash
}

/** 256 when the paths are equal. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < 32; i += 1) {
    const difference = (a[i] ?? 0) ^ (b[i] ?? 0)
    if (difference !== 0) return i * 8 + Math.clz32(difference) - 24
  }
  return 256
}

function bitAt(path: Uint8Array, bit: number): boolean {
  return (((path[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
}
