/**
 * Private keys in HashiCorp Vault (KV, version 1 or 2), fetched once and kept in memory. Vault's transit engine cannot
 * sign with secp256k1, so the keys have to leave Vault.
 */
import type { KeySource } from '../../ports/key-source.ts'
import type { ReadSecret, SecretRef } from '../../ports/secret-ref.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { createHttpCaller, parseReply, type TlsFiles } from '../http-call.ts'
import { createLocalKeys } from '../local-keys.ts'
import type { SigningKit } from '../signing-kit.ts'
import { createLocalSource } from './local-source.ts'

export interface VaultSettings {
  readonly url: string
  readonly token: SecretRef
  /** Paths of the API without `v1`, such as `secret/data/drover/payouts`. */
  readonly paths: readonly string[]
}

interface VaultPorts {
  readonly kit: SigningKit
  readonly readSecret: ReadSecret
  readonly tls: TlsFiles
}

const FIELDS = ['private_key', 'privateKey', 'key']

export function openVaultKeys({ url, token, paths }: VaultSettings, { kit, readSecret, tls }: VaultPorts): KeySource {
  const { host } = new URL(url)
  const http = createHttpCaller(tls)
  const keys = createLocalKeys(kit)
  const fetched = new Set<string>()
  let tell = (): void => {}

  async function fetchKey(path: string): Promise<void> {
    const headers = { 'x-vault-token': await readSecret(token).catch(refuse) }
    const { status, body } = await http.call({ method: 'GET', url: new URL(`/v1/${path}`, url), headers })
    if (status !== 200) throw new KeyStoreAway(`Vault at ${host} answers ${path} with status ${status}`)
    const text = findKey(parseReply(body).data)
    if (text === null) throw new KeyStoreAway(`${path} in Vault has no private key: expected the field ${FIELDS[0]}`)
    const bytes = Buffer.from(text.replace(/^0x/, ''), 'hex')
    try {
      keys.add(bytes)
    } catch {
      throw new KeyStoreAway(`${path} in Vault contains no valid private key`)
    } finally {
      bytes.fill(0)
    }
    fetched.add(path)
    tell()
  }

  async function look(): Promise<void> {
    let problem: unknown = null
    for (const path of paths)
      if (!fetched.has(path))
        await fetchKey(path).catch((error: unknown) => {
          problem ??= error
        })
    if (problem !== null) throw problem
  }

  return createLocalSource('vault', `Vault at ${host}`, keys, {
    look,
    onChange: (listener) => {
      tell = listener
    },
    close: http.close,
  })
}

function refuse(error: unknown): never {
  throw new KeyStoreAway(error instanceof Error ? error.message : 'the Vault token cannot be read')
}

/** In version 2 of KV the fields are one level deeper. */
function findKey(data: unknown): string | null {
  if (typeof data !== 'object' || data === null) return null
  const fields = 'data' in data && typeof data.data === 'object' && data.data !== null ? data.data : data
  for (const name of FIELDS) {
    const value: unknown = (fields as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string') return value.trim()
  }
  return null
}
