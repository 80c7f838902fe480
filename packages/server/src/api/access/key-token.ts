/**
 * The text that a caller sends as its key: `drv_`, the public id that it is looked up by, and the secret. The secret is
 * shown once, when the key is created. Drover stores its SHA-256: there is no dictionary attack on 256 random bits, so
 * a slow hash would protect nothing and slow down every request. The digests are compared in constant time.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
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

/** Null if this cannot be a Drover key. */
export function parseKeyToken(text: string): KeyToken | null {
  const [, id, secret] = TOKEN.exec(text) ?? []
  return id === undefined || secret === undefined ? null : { id, secretDigest: digest(secret) }
}

/** Takes the same time for an unknown key, so timing does not reveal whether an id exists. */
export function matchesSecret(given: KeyToken, stored: { readonly secretDigest: string } | null): boolean {
  const isEqual = timingSafeEqual(
    Buffer.from(given.secretDigest, 'hex'),
    Buffer.from(stored?.secretDigest ?? '0'.repeat(64), 'hex'),
  )
  return isEqual && stored !== null
}

function digest(secret: string): string {
  return hash('sha256', secret)
}
