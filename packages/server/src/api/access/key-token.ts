/**
 * The text that a caller sends as its key: `drv_`, the public id that it is looked up by, and the secret. The secret is
 * told once, when the key is made. What is stored is its SHA-256: of 256 random bits there is no dictionary to try, so a
 * slow hash would protect nothing and cost every request. The digests are compared in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyId } from '../../core/access/api-key.ts'

const TOKEN = /^drv_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/

export interface KeyToken {
  readonly id: KeyId
  readonly secretDigest: string
}

export function createKeyToken(): KeyToken & { readonly token: string } {
  const id = randomBytes(8).toString('hex')
  const secret = randomBytes(32).toString('base64url')
  return { id, secretDigest: digest(secret), token: `drv_${id}_${secret}` }
}

/** Null for what cannot be a key of ours. */
export function parseKeyToken(text: string): KeyToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? []
  return id === undefined || secret === undefined ? null : { id, secretDigest: digest(secret) }
}

/** Takes as long for a key that there is not: an id cannot be told to exist by the time that the answer takes. */
export function matchesSecret(given: KeyToken, stored: { readonly secretDigest: string } | null): boolean {
  const isEqual = timingSafeEqual(
    Buffer.from(given.secretDigest, 'hex'),
    Buffer.from(stored?.secretDigest ?? '0'.repeat(64), 'hex'),
  )
  return isEqual && stored !== null
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
