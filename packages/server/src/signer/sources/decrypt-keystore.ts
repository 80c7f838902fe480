/**
 * Decrypts a version 3 keystore, the format of geth, Foundry, ethers and most wallets. Key derivation runs beside the
 * thread, on Node's thread pool. Errors say what is wrong with the file and never quote it.
 */
import { createDecipheriv, pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Keccak } from '../keccak.ts'

/** What the standard parameters need, twice over. */
const MAX_SCRYPT_BYTES = 512 * 1024 * 1024
const MAX_SCRYPT_WORK = 2 ** 24
const MAX_PBKDF2_ROUNDS = 10_000_000

const runScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
const runPbkdf2 = promisify(pbkdf2)

interface Keystore {
  readonly kdf: (password: string) => Promise<Buffer>
  readonly iv: Buffer
  readonly ciphertext: Buffer
  readonly mac: Buffer
  /** As the file says, without 0x; null if it does not. */
  readonly address: string | null
}

export interface OpenedKeystore {
  readonly privateKey: Uint8Array
  readonly claimedAddress: string | null
}

export async function decryptKeystore(text: string, password: string, keccak: Keccak): Promise<OpenedKeystore> {
  const { kdf, iv, ciphertext, mac, address } = parseKeystore(text)
  const key = await kdf(password)
  const expected = keccak.hash(Buffer.concat([key.subarray(16, 32), ciphertext]))
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected))
    throw new Error('the password is wrong, or the file is damaged')
  const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), iv)
  const privateKey = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  key.fill(0)
  return { privateKey, claimedAddress: address }
}

function parseKeystore(text: string): Keystore {
  const file = readObject(parseJson(text))
  if (file.version !== 3) throw new Error('not a version 3 keystore')
  const crypto = readObject(file.crypto ?? file.Crypto)
  if (crypto.cipher !== 'aes-128-ctr') throw new Error('unknown cipher; only aes-128-ctr is supported')
  const { address } = file
  return {
    kdf: readDerivation(crypto.kdf, readObject(crypto.kdfparams)),
    iv: readBytes(readObject(crypto.cipherparams).iv, 16),
    ciphertext: readBytes(crypto.ciphertext, 32),
    mac: readBytes(crypto.mac, 32),
    address: typeof address === 'string' ? address.toLowerCase().replace(/^0x/, '') : null,
  }
}

function readDerivation(kdf: unknown, params: Readonly<Record<string, unknown>>): Keystore['kdf'] {
  const salt = readBytes(params.salt, null)
  if (params.dklen !== 32) throw new Error('dklen must be 32')
  if (kdf === 'scrypt') {
    const [N, r, p] = [readCount(params.n), readCount(params.r), readCount(params.p)]
    if (128 * N * r > MAX_SCRYPT_BYTES || N * r * p > MAX_SCRYPT_WORK)
      throw new Error('its scrypt parameters need too much memory or time')
    return (password) => runScrypt(password, salt, 32, { N, r, p, maxmem: 128 * r * (N + p) + 1024 * 1024 })
  }
  if (kdf !== 'pbkdf2') throw new Error('unknown key derivation; only scrypt and pbkdf2 are supported')
  if (params.prf !== 'hmac-sha256') throw new Error('unknown prf; only hmac-sha256 is supported')
  const rounds = readCount(params.c)
  if (rounds > MAX_PBKDF2_ROUNDS) throw new Error('its pbkdf2 parameters need too much time')
  return (password) => runPbkdf2(password, salt, rounds, 32, 'sha256')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('not a version 3 keystore')
  }
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('not a version 3 keystore')
  return value as Readonly<Record<string, unknown>>
}

function readCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new Error('its key derivation parameters are invalid')
  return value
}

function readBytes(value: unknown, length: number | null): Buffer {
  const digits = typeof value === 'string' ? value.replace(/^0x/, '') : ''
  if (digits === '' || !/^(?:[0-9a-fA-F]{2})+$/.test(digits)) throw new Error('not a version 3 keystore')
  const bytes = Buffer.from(digits, 'hex')
  if (length !== null && bytes.length !== length) throw new Error('not a version 3 keystore')
  return bytes
}
