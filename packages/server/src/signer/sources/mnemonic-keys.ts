/** Accounts of a BIP-39 phrase, along a range of BIP-32 paths such as `m/44'/60'/0'/0/0..9`. */
import { createHash, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { english, HDKey } from 'viem/accounts'
import type { KeySource } from '../../ports/key-source.ts'
import type { ReadSecret, SecretRef } from '../../ports/secret-ref.ts'
import { createLocalKeys } from '../local-keys.ts'
import { describeRef } from '../read-secret.ts'
import type { SigningKit } from '../signing-kit.ts'
import { createLocalSource } from './local-source.ts'

export interface MnemonicSettings {
  readonly phrase: SecretRef
  readonly path: PathRange
}

/** The last part of the path runs from `first` to `last`. */
export interface PathRange {
  readonly parent: string
  readonly first: number
  readonly last: number
}

const derive = promisify(pbkdf2)

export async function openMnemonicKeys(
  { phrase: ref, path }: MnemonicSettings,
  { kit, readSecret }: { readonly kit: SigningKit; readonly readSecret: ReadSecret },
): Promise<KeySource> {
  const words = (await readSecret(ref)).normalize('NFKD').trim().toLowerCase().split(/\s+/)
  if (!isPhrase(words)) throw new Error(`${describeRef(ref)} does not contain a valid BIP-39 phrase in English`)
  const seed = await derive(words.join(' '), 'mnemonic', 2_048, 64, 'sha512')
  const parent = HDKey.fromMasterSeed(seed).derive(path.parent)
  seed.fill(0)
  const keys = createLocalKeys(kit)
  for (let index = path.first; index <= path.last; index++) {
    const child = parent.deriveChild(index)
    if (child.privateKey === null) throw new Error(`the phrase has no key at ${path.parent}/${index}`)
    keys.add(child.privateKey)
    child.wipePrivateData()
  }
  parent.wipePrivateData()
  const { parent: prefix, first, last } = path
  return createLocalSource('mnemonic', `${prefix}/${first === last ? first : `${first}..${last}`}`, keys)
}

/** Checks the words and the checksum in the last of them. */
function isPhrase(words: readonly string[]): boolean {
  if (![12, 15, 18, 21, 24].includes(words.length)) return false
  const indexes = words.map((word) => english.indexOf(word))
  if (indexes.includes(-1)) return false
  const bits = indexes.map((index) => index.toString(2).padStart(11, '0')).join('')
  const checksumBits = bits.length / 33
  const entropy = Buffer.from(
    bits
      .slice(0, -checksumBits)
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [],
  )
  const [first = 0] = createHash('sha256').update(entropy).digest()
  return bits.slice(-checksumBits) === first.toString(2).padStart(8, '0').slice(0, checksumBits)
}
