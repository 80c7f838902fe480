/** Google Cloud KMS and its token endpoint on the wire: checks the assertion and the token, and signs with real keys. */
import { createVerify, type KeyObject } from 'node:crypto'
import type { Hex } from '../../core/hex.ts'
import { publicKeyOf, signDigest } from './fake-curve-key.ts'
import { type FakeReply, type FakeService, startFakeService } from './fake-service.ts'

interface FakeGoogle {
  /** By the name of the key version. */
  readonly keys: Readonly<Record<string, Hex>>
  /** Of the service account. */
  readonly publicKey: KeyObject
  readonly token: string
}

export async function startFakeGoogleKms({ keys, publicKey, token }: FakeGoogle): Promise<FakeService> {
  return await startFakeService(({ method, url, headers, body }) => {
    if (url.pathname === '/token') {
      const assertion = new URLSearchParams(body).get('assertion') ?? ''
      const [head, claims, signature = ''] = assertion.split('.')
      const isRight = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(publicKey, signature, 'base64url')
      return isRight ? answer({ access_token: token, expires_in: 3_600 }) : refuse(400, 'INVALID_ARGUMENT')
    }
    if (headers.authorization !== `Bearer ${token}`) return refuse(401, 'UNAUTHENTICATED')
    const [, name = '', action] = /^\/v1\/(.+?)(\/publicKey|:asymmetricSign)$/.exec(url.pathname) ?? []
    const key = keys[name]
    if (key === undefined) return refuse(404, 'NOT_FOUND')
    if (action === '/publicKey' && method === 'GET') {
      const lines = publicKeyOf(key)
        .toString('base64')
        .match(/.{1,64}/g)
        ?.join('\n')
      return answer({
        pem: `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`,
        algorithm: 'EC_SIGN_SECP256K1_SHA256',
      })
    }
    const { digest } = JSON.parse(body) as { digest: { sha256: string } }
    return answer({ name, signature: signDigest(key, Buffer.from(digest.sha256, 'base64')).toString('base64') })
  })
}

function answer(body: object): FakeReply {
  return { status: 200, body: JSON.stringify(body) }
}

function refuse(status: number, name: string): FakeReply {
  return { status, body: JSON.stringify({ error: { code: status, status: name, message: 'user secret@example.org' } }) }
}
