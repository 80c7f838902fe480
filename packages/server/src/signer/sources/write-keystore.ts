/**
 * Writes a private key into a keystore folder: a version 3 file with the parameters of geth, under the password of the
 * folder. It gets its name only when it is complete and on the disk, so that a running node never sees half of it.
 */
import { createCipheriv, randomBytes, randomUUID, type ScryptOptions, scrypt } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Address } from '../../core/hex.ts'
import { addressOf } from '../local-keys.ts'
import type { SigningKit } from '../signing-kit.ts'
import { decryptKeystore } from './decrypt-keystore.ts'

/** What geth, Foundry and ethers use: about a second and 256 MiB. */
const SCRYPT = { N: 262_144, r: 8, p: 1 } as const

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export interface WrittenKey {
  readonly address: Address
  readonly file: string
  /** False: the folder has this key already, in `file`. */
  readonly isNew: boolean
}

interface KeystoreFolder {
  readonly folder: string
  readonly password: string
  readonly kit: SigningKit
}

/** Throws if it is not a private key; the error does not quote it. */
export async function writeKeystore(privateKey: Uint8Array, target: KeystoreFolder): Promise<WrittenKey> {
  const { folder, password, kit } = target
  const address = addressOf(privateKey, kit)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const known = await findKnown(target)
  const twin = known.get(address)
  if (twin !== undefined) return { address, file: twin, isNew: false }
  const text = await encrypt(privateKey, password, kit)
  const name = `UTC--${new Date().toISOString().replaceAll(':', '-')}--${address.slice(2)}`
  await writeWhole(folder, name, text)
  return { address, file: join(folder, name), isNew: true }
}

/** By address, as the files say. Throws if the password does not open the first of them: a folder has one password. */
async function findKnown({ folder, password, kit }: KeystoreFolder): Promise<ReadonlyMap<Address, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  const known = new Map<Address, string>()
  let isOpen = false
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    const claimed = /"address"\s*:\s*"(?:0x)?([0-9a-fA-F]{40})"/.exec(text)?.[1]
    if (claimed !== undefined) known.set(`0x${claimed.toLowerCase()}`, join(folder, name))
    if (isOpen) continue
    const { privateKey } = await decryptKeystore(text, password, kit.keccak).catch((error: Error) => {
      throw new Error(`keystore ${name}: ${error.message}; all files in a folder need the same password`)
    })
    privateKey.fill(0)
    isOpen = true
  }
  return known
}

async function encrypt(privateKey: Uint8Array, password: string, kit: SigningKit): Promise<string> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const { N, r, p } = SCRYPT
  const key = await derive(password, salt, 32, { N, r, p, maxmem: 128 * r * (N + p) + 1024 * 1024 })
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const mac = Buffer.from(kit.keccak.hash(Buffer.concat([key.subarray(16, 32), ciphertext])))
  key.fill(0)
  const kdfparams = { n: N, r, p, dklen: 32, salt: salt.toString('hex') }
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams,
    mac: mac.toString('hex'),
  }
  return JSON.stringify({ version: 3, id: randomUUID(), address: addressOf(privateKey, kit).slice(2), crypto })
}

async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  // Hidden files are not looked at.
  const draft = join(folder, `.${name}.partial`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${text}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
