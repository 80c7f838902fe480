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
  /** Uncompressed, without the leading byte: 64 bytes. Throws if it is not a private key. */
  publicKey(privateKey: Uint8Array): Uint8Array
}

export const JAVASCRIPT_CURVE: Curve = {
  name: 'JavaScript (@noble/curves)',
  sign(digest, privateKey) {
    const signature = noble.sign(digest, privateKey, { lowS: true })
    return { bytes: signature.toCompactRawBytes(), recovery: signature.recovery }
  },
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false).subarray(1),
}

/** Not the package's own entry: that one silently falls back to a slow library. */
async function openNative(): Promise<Curve> {
  const { default: native } = await import('secp256k1/bindings.js')
  return {
    name: 'native (libsecp256k1)',
    sign(digest, privateKey) {
      const { signature, recid } = native.ecdsaSign(digest, privateKey)
      return { bytes: signature, recovery: recid }
    },
    publicKey: (privateKey) => native.publicKeyCreate(privateKey, false).subarray(1),
  }
}

async function openWasm(): Promise<Curve> {
  const { pointFromScalar, signRecoverable } = await import('tiny-secp256k1')
  return {
    name: 'WebAssembly (tiny-secp256k1)',
    sign(digest, privateKey) {
      const { signature, recoveryId } = signRecoverable(digest, privateKey)
      return { bytes: signature, recovery: recoveryId }
    },
    publicKey(privateKey) {
      const point = pointFromScalar(privateKey, false)
      if (point === null) throw new Error('not a private key')
      return point.subarray(1)
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
    if (Buffer.compare(curve.publicKey(privateKey), JAVASCRIPT_CURVE.publicKey(privateKey)) !== 0) return false
  }
  return true
}
