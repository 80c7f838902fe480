/**
 * A folder of encrypted keystore files (version 3), all with one password. Each file is decrypted once, one after the
 * other, because a key derivation takes up to 256 MiB for about a second. Each account can sign as soon as its own file
 * is open. The folder is looked at again from time to time: a new file adds a signer, a file that is gone removes one.
 */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Address } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import type { ReadSecret, SecretRef } from '../../ports/secret-ref.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { createLocalKeys } from '../local-keys.ts'
import { readSmallFile } from '../read-secret.ts'
import type { SigningKit } from '../signing-kit.ts'
import { decryptKeystore } from './decrypt-keystore.ts'
import { createLocalSource } from './local-source.ts'

export interface KeystoreSettings {
  readonly folder: string
  readonly password: SecretRef
}

interface KeystorePorts {
  readonly kit: SigningKit
  readonly readSecret: ReadSecret
  warn(message: string): void
}

interface OpenFile {
  readonly address: Address
  /** Changes when the file does. */
  readonly version: string
}

/** Not tried again before it changes. */
interface BrokenFile {
  readonly version: string
  readonly message: string
  /** The file that has the same key; null: that is not the problem. */
  readonly twinOf: string | null
}

class TwinFile extends Error {
  readonly twin: string
  constructor(twin: string) {
    super(`has the same key as ${twin}: remove one of them`)
    this.twin = twin
  }
}

const MAX_FILES = 10_000

/** Waits for the first file, so that a wrong password is found at the start. The others follow. */
export async function openKeystoreFolder(settings: KeystoreSettings, ports: KeystorePorts): Promise<KeySource> {
  const { folder } = settings
  const keys = createLocalKeys(ports.kit)
  const open = new Map<string, OpenFile>()
  const broken = new Map<string, BrokenFile>()
  /** The digest of the password with which the broken files were tried. */
  let triedWith: string | null = null
  let looking: Promise<void> | null = null
  let isClosed = false
  let tell = (): void => {}

  const findTwin = (address: Address, name: string) =>
    [...open].find(([other, file]) => file.address === address && other !== name)?.[0]

  /** The file is gone, or has another key now. A copy of it can be opened from now on. */
  function forget(name: string, { address }: OpenFile): void {
    if (findTwin(address, name) === undefined) keys.remove(address)
    for (const [other, { twinOf }] of broken) if (twinOf === name) broken.delete(other)
  }

  async function openFile(name: string, version: string, password: string): Promise<void> {
    const text = await readSmallFile(join(folder, name), ports.warn)
    const { privateKey, claimedAddress } = await decryptKeystore(text, password, ports.kit.keccak)
    if (isClosed) return void privateKey.fill(0)
    const known = new Set(keys.addresses())
    const address = keys.add(privateKey)
    privateKey.fill(0)
    const twin = findTwin(address, name)
    if (twin !== undefined) throw new TwinFile(twin)
    if (claimedAddress !== null && claimedAddress !== address.slice(2)) {
      if (!known.has(address)) keys.remove(address)
      throw new Error('contains the key of another address than it says')
    }
    const before = open.get(name)
    open.set(name, { address, version })
    if (before !== undefined && before.address !== address) forget(name, before)
  }

  /** A file that could not be opened is tried again when it changes, or when the password does. */
  async function retryBroken(): Promise<void> {
    // A command may ask somebody for something: it is not run every few seconds.
    if (broken.size === 0 || settings.password.type === 'command') return
    if (digestOf(await ports.readSecret(settings.password)) !== triedWith) broken.clear()
  }

  /** `stopAfterFirst`: for the start. */
  async function walk(stopAfterFirst: boolean): Promise<void> {
    const files = await listFiles(folder)
    for (const [name, file] of open) {
      if (files.has(name)) continue
      open.delete(name)
      forget(name, file)
      tell()
    }
    for (const name of broken.keys()) if (!files.has(name)) broken.delete(name)
    await retryBroken()
    const isNew = ([name, version]: readonly [string, string]) =>
      open.get(name)?.version !== version && broken.get(name)?.version !== version
    const fresh = [...files].filter(isNew)
    if (fresh.length === 0) return
    const password = await ports.readSecret(settings.password)
    triedWith = digestOf(password)
    for (const [name, version] of fresh) {
      if (isClosed) return
      try {
        await openFile(name, version, password)
        broken.delete(name)
      } catch (error) {
        const message = `keystore ${name}: ${error instanceof Error ? error.message : 'cannot be opened'}`
        if (stopAfterFirst) throw new Error(message)
        broken.set(name, { version, message, twinOf: error instanceof TwinFile ? error.twin : null })
      }
      if (stopAfterFirst) return
      tell()
    }
  }

  async function look(): Promise<void> {
    looking ??= walk(false).finally(() => {
      looking = null
    })
    await looking.catch((error: unknown) => {
      throw new KeyStoreAway(error instanceof Error ? error.message : String(error))
    })
    const [first, ...more] = [...broken.values()]
    if (first === undefined) return
    throw new KeyStoreAway(more.length === 0 ? first.message : `${first.message} (and ${more.length} more files)`)
  }

  await walk(true)
  return createLocalSource('keystore', folder, keys, {
    look,
    onChange: (listener) => {
      tell = listener
    },
    close: async () => {
      isClosed = true
      // Its caller gets the error. Here it only has to be over.
      await looking?.catch(() => {})
    },
  })
}

function digestOf(password: string): string {
  return createHash('sha256').update(password).digest('hex')
}

/** Names and versions, in a fixed order. Hidden files and folders are not keystores. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder).catch((error: unknown) => {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown error'
    throw new Error(`cannot read the keystore folder ${folder}: ${code}`)
  })
  const names = entries.filter((name) => !name.startsWith('.')).sort()
  if (names.length > MAX_FILES) throw new Error(`the keystore folder ${folder} has more than ${MAX_FILES} files`)
  const found = new Map<string, string>()
  for (const name of names) {
    const about = await stat(join(folder, name)).catch(() => null)
    if (about?.isFile()) found.set(name, `${about.mtimeMs}:${about.size}:${about.ino}`)
  }
  return found
}
