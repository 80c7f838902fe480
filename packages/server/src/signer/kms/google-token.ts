/**
 * An access token for Google Cloud, found where Google's libraries find it: the service account file that
 * GOOGLE_APPLICATION_CREDENTIALS names, or else the metadata server of the machine. Kept until shortly before it ends.
 */
import { createSign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { KeyStoreAway } from '../../ports/signer.ts'
import { type HttpCaller, type HttpReply, parseReply } from '../http-call.ts'

export type FindGoogleToken = () => Promise<string>

interface TokenPorts {
  readonly http: HttpCaller
  readonly env: Readonly<Record<string, string | undefined>>
  now(): number
}

const SCOPE = 'https://www.googleapis.com/auth/cloudkms'
const RENEW_BEFORE_MS = 5 * 60_000

export function createFindGoogleToken(ports: TokenPorts): FindGoogleToken {
  let found: { readonly token: string; readonly expiresAt: number } | null = null
  let finding: Promise<HttpReply> | null = null
  return async () => {
    if (found !== null && found.expiresAt - RENEW_BEFORE_MS > ports.now()) return found.token
    finding ??= find(ports).finally(() => {
      finding = null
    })
    const { status, body } = await finding
    const { access_token: token, expires_in: seconds } = parseReply(body)
    if (status !== 200 || typeof token !== 'string' || typeof seconds !== 'number')
      throw new KeyStoreAway(`Google Cloud gave no access token (status ${status})`)
    found = { token, expiresAt: ports.now() + seconds * 1_000 }
    return token
  }
}

async function find({ http, env, now }: TokenPorts): Promise<HttpReply> {
  const file = env.GOOGLE_APPLICATION_CREDENTIALS
  if (file === undefined) {
    const host = env.GCE_METADATA_HOST ?? 'metadata.google.internal'
    const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`)
    return await http.call({ method: 'GET', url, headers: { 'metadata-flavor': 'Google' } })
  }
  const account = parseReply(
    await readFile(file, 'utf8').catch(() => {
      throw new KeyStoreAway(`cannot read ${file}`)
    }),
  )
  const { client_email: email, private_key: key, token_uri: uri } = account
  if (typeof email !== 'string' || typeof key !== 'string' || typeof uri !== 'string')
    throw new KeyStoreAway(`${file} is not the key file of a service account`)
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signAssertion({ email, key, uri }, Math.floor(now() / 1_000), file),
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return await http.call({ method: 'POST', url: new URL(uri), headers, body })
}

function signAssertion(
  { email, key, uri }: { readonly email: string; readonly key: string; readonly uri: string },
  seconds: number,
  file: string,
): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iss: email, scope: SCOPE, aud: uri, iat: seconds, exp: seconds + 3_600 }
  const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  try {
    return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`
  } catch {
    // The error of the library may quote the key.
    throw new KeyStoreAway(`${file} contains no usable private key`)
  }
}
