/** Public keys and signatures as key management services return them: DER. */

const SECP256K1_OID = Buffer.from('06052b8104000a', 'hex')
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** 64 bytes, without the leading 4; null if it is not an uncompressed key of secp256k1. */
export function readPublicKey(spki: Buffer): Buffer | null {
  if (!spki.includes(SECP256K1_OID) || spki.length < 65 || spki[spki.length - 65] !== 4) return null
  return spki.subarray(-64)
}

/** r and s, 32 bytes each, with the low one of the two possible s (EIP-2); null if it is not a signature. */
export function readSignature(der: Buffer): Uint8Array | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
  const r = readInteger(der, 2)
  const s = r === null ? null : readInteger(der, r.end)
  if (r === null || s === null || s.end !== der.length) return null
  if (r.value <= 0n || r.value >= ORDER || s.value <= 0n || s.value >= ORDER) return null
  const low = s.value > ORDER / 2n ? ORDER - s.value : s.value
  return Buffer.from(toHex(r.value) + toHex(low), 'hex')
}

function readInteger(der: Buffer, at: number): { readonly value: bigint; readonly end: number } | null {
  const length = der[at + 1] ?? 0
  const end = at + 2 + length
  if (der[at] !== 0x02 || length < 1 || length > 33 || end > der.length) return null
  return { value: BigInt(`0x${der.toString('hex', at + 2, end)}`), end }
}

function toHex(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
