/** Keys in Google Cloud KMS (EC_SIGN_SECP256K1_SHA256), over its REST API. */
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { createHttpCaller, type HttpCall, parseReply } from '../http-call.ts'
import type { Keccak } from '../keccak.ts'
import { createDigestSource } from './digest-source.ts'
import { createFindGoogleToken } from './google-token.ts'

export interface GoogleKmsSettings {
  /** Key versions: `projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/1`. */
  readonly keys: readonly string[]
  /** Null: the public one. */
  readonly endpoint: string | null
}

/** Refusals that say nothing about other keys. */
const OF_ONE_KEY = new Set(['FAILED_PRECONDITION', 'INVALID_ARGUMENT', 'NOT_FOUND', 'PERMISSION_DENIED'])

type Environment = Readonly<Record<string, string | undefined>>

export function openGoogleKms(
  { keys, endpoint }: GoogleKmsSettings,
  { keccak, env, now }: { readonly keccak: Keccak; readonly env: Environment; now(): number },
): KeySource {
  const http = createHttpCaller()
  const base = endpoint ?? 'https://cloudkms.googleapis.com'
  const findToken = createFindGoogleToken({ http, env, now })

  async function ask(call: Omit<HttpCall, 'url' | 'headers'>, path: string, field: string): Promise<string> {
    const headers = { authorization: `Bearer ${await findToken()}`, 'content-type': 'application/json' }
    const { status, body } = await http.call({ ...call, url: new URL(`/v1/${path}`, base), headers })
    const reply = parseReply(body)
    const value = reply[field]
    if (status === 200 && typeof value === 'string') return value
    const name = nameError(reply.error)
    throw new KeyStoreAway(`Google Cloud KMS refuses: ${name} (status ${status})`, { isOneKey: OF_ONE_KEY.has(name) })
  }

  return createDigestSource(
    {
      type: 'google_kms',
      place: `Google Cloud KMS${findLocation(keys)}`,
      keys,
      readPublicKey: async (name) => {
        const pem = await ask({ method: 'GET' }, `${name}/publicKey`, 'pem')
        return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
      },
      sign: async (name, digest) => {
        const body = JSON.stringify({ digest: { sha256: Buffer.from(digest).toString('base64') } })
        return Buffer.from(await ask({ method: 'POST', body }, `${name}:asymmetricSign`, 'signature'), 'base64')
      },
      close: http.close,
    },
    keccak,
  )
}

function findLocation([first]: readonly string[]): string {
  const location = /\/locations\/([\w-]+)\//.exec(first ?? '')?.[1]
  return location === undefined ? '' : `, ${location}`
}

/** Its status, such as PERMISSION_DENIED; the message may name accounts and is left out. */
function nameError(error: unknown): string {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : null
  return typeof status === 'string' && /^\w{1,80}$/.test(status) ? status : 'unknown error'
}
