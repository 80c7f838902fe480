/**
 * Keccak-256, by whatever computes it fastest here: WebAssembly where the machine allows it, else @noble/hashes.
 *
 * Every implementation is held against @noble/hashes before it is used, so which one runs never shows in a result.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Keccak256, MAX_WASM_INPUT, openWasmKeccak } from './keccak-wasm.ts'

/** Around the size of a block of the hash, 136 bytes, and beyond. */
const LENGTHS = [0, 1, 32, 116, 135, 136, 137, 271, 272, 1_000, 20_000]

let active: Keccak256 = chooseKeccak()

export function keccak256(bytes: Uint8Array): Uint8Array {
  return active(bytes)
}

/** Plugs in another implementation for this whole process; throws if it does not compute Keccak-256. Null goes back. */
export function useKeccak(keccak: Keccak256 | null): void {
  if (keccak !== null && !agrees(keccak)) throw new RangeError('this function does not compute Keccak-256')
  active = keccak ?? chooseKeccak()
}

function chooseKeccak(): Keccak256 {
  try {
    const short = openWasmKeccak()
    const whole: Keccak256 = (bytes) => (bytes.length > MAX_WASM_INPUT ? keccak_256(bytes) : short(bytes))
    return agrees(whole) ? whole : keccak_256
  } catch {
    // No WebAssembly here, or a policy that forbids it: slower, and the same bytes.
    return keccak_256
  }
}

function agrees(keccak: Keccak256): boolean {
  return LENGTHS.every((length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256)
    const expected = keccak_256(bytes)
    const found = keccak(bytes)
    return found.length === 32 && expected.every((byte, at) => found[at] === byte)
  })
}
