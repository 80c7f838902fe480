/**
 * Encrypts secrets that the database stores but must not reveal: AES-256-GCM with keys that are not in it. Each is
 * bound to its row, so it cannot be moved to another. The first key encrypts, all keys decrypt: to rotate, put a new
 * key first. Without keys, secrets are stored in plain text.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

export interface SecretBox {
  /** False: there is no key, and secrets are stored in plain text. */
  readonly hasKey: boolean
  /** `about` is the row that it belongs to. */
  seal(secret: string, about: string): string
  /** Null if it was sealed with a key that is not here. */
  open(stored: string, about: string): string | null
  /** Whether it is stored in the way that `seal` would store it now. */
  isCurrent(stored: string): boolean
}

const PREFIX = 'sealed:v1:'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecretBox(keys: readonly Uint8Array[]): SecretBox {
  const named = new Map(keys.map((key) => [nameOf(key), key]))
  const [first] = named
  const prefix = first === undefined ? null : `${PREFIX}${first[0]}:`

  return {
    hasKey: first !== undefined,
    isCurrent: (stored) => (prefix === null ? !stored.startsWith(PREFIX) : stored.startsWith(prefix)),
    seal(secret, about) {
      if (first === undefined) return secret
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, first[1], nonce).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${prefix}${sealed.toString('base64url')}`
    },
    open(stored, about) {
      if (!stored.startsWith(PREFIX)) return stored
      const [name = '', body = ''] = stored.slice(PREFIX.length).split(':')
      const key = named.get(name)
      if (key === undefined) return null
      const sealed = Buffer.from(body, 'base64url')
      const end = sealed.length - TAG_BYTES
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(end))
      return decipher.update(sealed.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** Distinguishes keys without revealing them. */
function nameOf(key: Uint8Array): string {
  return createHash('sha256').update('drover secrets key').update(key).digest('hex').slice(0, 8)
}
