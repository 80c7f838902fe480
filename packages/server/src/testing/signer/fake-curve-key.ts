/** A key as a key management service holds it: it signs digests with a random nonce, and does not care about low s. */
import { randomBytes } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import type { Hex } from '../../core/hex.ts'

/** SubjectPublicKeyInfo of an uncompressed point on secp256k1. */
const SPKI_HEAD = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex')

export function publicKeyOf(privateKey: Hex): Buffer {
  return Buffer.concat([SPKI_HEAD, secp256k1.getPublicKey(privateKey.slice(2), false)])
}

export function signDigest(privateKey: Hex, digest: Uint8Array): Buffer {
  const signature = secp256k1.sign(digest, privateKey.slice(2), { lowS: false, extraEntropy: randomBytes(32) })
  return Buffer.from(signature.toDERRawBytes())
}
