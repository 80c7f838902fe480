/**
 * A proof that a state root contains a timer as it is, or no timer with this id, for a verifier that has only the root.
 */
import { ByteReader } from '../bytes/byte-reader.ts'
import { bytesOf, findExactHex, getExactHex, type Hex, hexOf, isCanonicalHex } from '../bytes/hex.ts'
import { keccak256 } from '../bytes/keccak.ts'
import { checkRecord } from '../snapshot/check-record.ts'
import { decodeTimer } from '../snapshot/timer-record.ts'
import type { Timer } from '../state/timer.ts'
import type { FoundLeaf, MerkleTrie } from './merkle-trie.ts'
import { bitAt, hashBranch, hashLeaf } from './node-hash.ts'
import { recordKey } from './timer-leaves.ts'

/** Plain JSON. `leaf` is where the id's own bits lead: its record, or another leaf that shows it is not there. */
export interface TimerProof {
  readonly timerId: Hex
  readonly leaf: FoundLeaf | null
}

export type ProvenTimer =
  | { readonly type: 'present'; readonly timer: Timer }
  | { readonly type: 'absent' }
  | { readonly type: 'invalid'; readonly reason: string }

/** The trie must hold the leaves of `listLeafChanges`, as a chain's state trie does. */
export function proveTimer(trie: MerkleTrie, timerId: Hex): TimerProof {
  return { timerId: getExactHex(timerId, 32, 'timerId'), leaf: trie.findLeaf(recordKey(timerId)) }
}

/** What a proof shows about a root; the proof itself is not trusted. */
export function verifyTimerProof(root: Hex, proof: TimerProof): ProvenTimer {
  const timerId = findExactHex(proof.timerId, 32)
  const expected = findExactHex(root, 32)
  if (timerId === null || expected === null) return invalid('the id and the root must be 32 bytes')
  const { leaf } = proof
  if (leaf === null) return /^0x0*$/.test(expected) ? { type: 'absent' } : invalid('only the empty root has no leaves')
  if (!isCanonicalHex(leaf.path, 32) || !isCanonicalHex(leaf.value)) return invalid('the leaf must be bytes')
  const path = keccak256(bytesOf(recordKey(timerId), 2))
  const computed = climb(path, leaf)
  if (computed === null) return invalid('the way to the leaf is not one that this id leads')
  if (computed !== expected) return invalid('the proof leads to another root')
  if (leaf.path !== hexOf(path)) return { type: 'absent' }
  try {
    const reader = new ByteReader(bytesOf(leaf.value, 2))
    const timer = decodeTimer(reader)
    checkRecord(timer)
    return reader.done && timer.timerId === timerId ? { type: 'present', timer } : invalid('the leaf is another record')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return invalid(error.message)
  }
}

/** The root above a leaf; null unless every branch on the way is taken as the path's own bits say. */
function climb(path: Uint8Array, { path: leafPath, value, siblings }: FoundLeaf): Hex | null {
  const own = bytesOf(leafPath, 2)
  let hash = hashLeaf(own, bytesOf(value, 2))
  let below = 256
  for (const { bit, hash: other } of [...siblings].reverse()) {
    if (!Number.isInteger(bit) || bit < 0 || bit >= below || !isCanonicalHex(other, 32)) return null
    const right = bitAt(path, bit)
    if (right !== bitAt(own, bit)) return null
    const sibling = bytesOf(other, 2)
    hash = right ? hashBranch(bit, sibling, hash) : hashBranch(bit, hash, sibling)
    below = bit
  }
  return hexOf(hash)
}

function invalid(reason: string): ProvenTimer {
  return { type: 'invalid', reason }
}
