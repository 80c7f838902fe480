/**
 * Keys in AWS KMS (ECC_SECG_P256K1). A small client of its own instead of the AWS SDK: two calls, one signature scheme,
 * and no code of others between the digest and the signature.
 */
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { createHttpCaller, parseReply } from '../http-call.ts'
import type { Keccak } from '../keccak.ts'
import { createFindAwsCredentials } from './aws-credentials.ts'
import { createDigestSource } from './digest-source.ts'
import { signAwsRequest } from './sign-aws-request.ts'

export interface AwsKmsSettings {
  /** Ids, ARNs or aliases. */
  readonly keys: readonly string[]
  readonly region: string
  /** Null: the public one of the region. */
  readonly endpoint: string | null
}

/** Refusals that say nothing about other keys. */
const OF_ONE_KEY = new Set([
  'AccessDeniedException',
  'DisabledException',
  'InvalidKeyUsageException',
  'KeyUnavailableException',
  'KMSInvalidStateException',
  'NotFoundException',
  'ValidationException',
])

type Environment = Readonly<Record<string, string | undefined>>

export function openAwsKms(
  { keys, region, endpoint }: AwsKmsSettings,
  { keccak, env, now }: { readonly keccak: Keccak; readonly env: Environment; now(): number },
): KeySource {
  const http = createHttpCaller()
  const url = new URL(endpoint ?? `https://kms.${region}.amazonaws.com/`)
  const findCredentials = createFindAwsCredentials({ http, env, region, now })

  async function ask(action: string, input: object, field: string): Promise<Buffer> {
    const request = {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` },
      body: JSON.stringify(input),
    } as const
    const scope = { region, service: 'kms', now: new Date(now()) }
    const headers = signAwsRequest(request, await findCredentials(), scope)
    const { status, body } = await http.call({ ...request, headers })
    const reply = parseReply(body)
    const value = reply[field]
    if (status === 200 && typeof value === 'string') return Buffer.from(value, 'base64')
    const name = nameError(reply.__type)
    throw new KeyStoreAway(`AWS KMS refuses ${action}: ${name} (status ${status})`, { isOneKey: OF_ONE_KEY.has(name) })
  }

  return createDigestSource(
    {
      type: 'aws_kms',
      place: `AWS KMS, ${region}`,
      keys,
      readPublicKey: (KeyId) => ask('GetPublicKey', { KeyId }, 'PublicKey'),
      sign: (KeyId, digest) => {
        const Message = Buffer.from(digest).toString('base64')
        const input = { KeyId, Message, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }
        return ask('Sign', input, 'Signature')
      },
      close: http.close,
    },
    keccak,
  )
}

/** `com.amazonaws.kms#NotFoundException`; the message may name accounts and is left out. */
function nameError(type: unknown): string {
  const name = typeof type === 'string' ? type.split('#').at(-1) : undefined
  return name !== undefined && /^\w{1,80}$/.test(name) ? name : 'unknown error'
}
