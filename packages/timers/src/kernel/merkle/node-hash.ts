/** How the nodes of the Merkle tree are hashed, and how its paths are read: all that a verifier needs. */
import { keccak256 } from '../bytes/keccak.ts'

const BRANCH = Uint8Array.of(1, ...new Uint8Array(65))

/** H(0x00 ‖ path ‖ value) */
export function hashLeaf(path: Uint8Array, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(33 + value.length)
  bytes.set(path, 1)
  bytes.set(value, 33)
  return keccak256(bytes)
}

/** H(0x01 ‖ bit ‖ left ‖ right) */
export function hashBranch(bit: number, left: Uint8Array, right: Uint8Array): Uint8Array {
  BRANCH[1] = bit
  BRANCH.set(left, 2)
  BRANCH.set(right, 34)
  return keccak256(BRANCH)
}

/** The first bit in which two paths differ; 256 when they are equal. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < 32; at += 1) {
    const difference = (a[at] ?? 0) ^ (b[at] ?? 0)
    if (difference !== 0) return at * 8 + Math.clz32(difference) - 24
  }
  return 256
}

/** Bit 0 is the highest of the first byte. */
export function bitAt(path: Uint8Array, bit: number): boolean {
  return (((path[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1
}
