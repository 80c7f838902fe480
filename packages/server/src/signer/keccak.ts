/** Keccak-256, using WebAssembly if that works on this machine, otherwise JavaScript. */
import { createKeccak } from 'hash-wasm'
import { keccak256 } from 'viem/utils'
import type { Hash } from '../core/hex.ts'
import { type Attempt, chooseFirst } from './choose-first.ts'

export interface Keccak {
  readonly name: string
  hash(bytes: Uint8Array): Uint8Array
  hashToHex(bytes: Uint8Array): Hash
}

export const JAVASCRIPT_KECCAK: Keccak = {
  name: 'JavaScript (@noble/hashes)',
  hash: (bytes) => keccak256(bytes, 'bytes'),
  hashToHex: (bytes) => keccak256(bytes, 'hex'),
}

async function openWasm(): Promise<Keccak> {
  const hasher = await createKeccak(256)
  return {
    name: 'WebAssembly (hash-wasm)',
    hash: (bytes) => hasher.init().update(bytes).digest('binary'),
    hashToHex: (bytes) => `0x${hasher.init().update(bytes).digest('hex')}`,
  }
}

export function openKeccak(attempts: readonly Attempt<Keccak>[] = [openWasm]): Promise<Keccak> {
  return chooseFirst(attempts, agrees, JAVASCRIPT_KECCAK)
}

/** Around the size of a block of the hash, 136 bytes, and beyond. */
const LENGTHS = [0, 1, 32, 135, 136, 137, 272, 1_000, 20_000]

function agrees(keccak: Keccak): boolean {
  return LENGTHS.every((length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256)
    const expected = JAVASCRIPT_KECCAK.hashToHex(bytes)
    return keccak.hashToHex(bytes) === expected && toHex(keccak.hash(bytes)) === expected
  })
}

function toHex(bytes: Uint8Array): Hash {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
