/**
 * The arithmetic of secp256k1, by the fastest library that works on this machine: native code, WebAssembly, or JavaScript.
 * Each must give the signatures of the JavaScript one byte for byte before it is used: deterministic (RFC 6979), low s.
 */
import { secp256k1 as noble } from '@noble/curves/secp256k1'
import { type Attempt, chooseFirst } from './choose-first.ts'

export interface Signature {
  /** r and s, 32 bytes each. */
  readonly bytes: Uint8Array
  readonly recovery: number
}

export interface Curve {
  readonly name: string
  sign(digest: Uint8Array, privateKey: Uint8Array): Signature
}

export const JAVASCRIPT_CURVE: Curve = {
  name: 'JavaScript (@noble/curves)',
  sign(digest, privateKey) {
    const signature = noble.sign(digest, privateKey, { lowS: true })
    return { bytes: signature.toCompactRawBytes(), recovery: signature.recovery }
  },
}

/** Not the package's own entry: that one falls back to a slow library without a word. */
async function openNative(): Promise<Curve> {
  const { default: native } = await import('secp256k1/bindings.js')
  return {
    name: 'native (libsecp256k1)',
    sign(digest, privateKey) {
      const { signature, recid } = native.ecdsaSign(digest, privateKey)
      return { bytes: signature, recovery: recid }
    },
  }
}

async function openWasm(): Promise<Curve> {
  const { signRecoverable } = await import('tiny-secp256k1')
  return {
    name: 'WebAssembly (tiny-secp256k1)',
    sign(digest, privateKey) {
      const { signature, recoveryId } = signRecoverable(digest, privateKey)
      return { bytes: signature, recovery: recoveryId }
    },
  }
}

export const CURVES: readonly Attempt<Curve>[] = [openNative, openWasm]

export function openCurve(attempts: readonly Attempt<Curve>[] = CURVES): Promise<Curve> {
  return chooseFirst(attempts, agrees, JAVASCRIPT_CURVE)
}

const SAMPLES = 16

/** Enough to see both recoveries, both signs of s, and numbers with leading zeros. */
function agrees(curve: Curve): boolean {
  for (let index = 1; index <= SAMPLES; index++) {
    const digest = new Uint8Array(32).fill(index * 15)
    const privateKey = new Uint8Array(32).fill(index * 7)
    const expected = JAVASCRIPT_CURVE.sign(digest, privateKey)
    const found = curve.sign(digest, privateKey)
    if (found.recovery !== expected.recovery || Buffer.compare(found.bytes, expected.bytes) !== 0) return false
  }
  return true
}
