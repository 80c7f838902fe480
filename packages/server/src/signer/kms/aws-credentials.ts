/**
 * Finds AWS credentials where the AWS SDKs do: environment variables, the role of a Kubernetes service account, the
 * role of a container, the role of an EC2 instance. Temporary ones are kept until shortly before they end.
 */
import { readFile } from 'node:fs/promises'
import { KeyStoreAway } from '../../ports/signer.ts'
import { type HttpCaller, parseReply } from '../http-call.ts'
import type { AwsCredentials } from './sign-aws-request.ts'

export type FindAwsCredentials = () => Promise<AwsCredentials>

type Environment = Readonly<Record<string, string | undefined>>

interface Found {
  readonly credentials: AwsCredentials
  /** Null: they do not end. */
  readonly expiresAt: number | null
}

interface CredentialPorts {
  readonly http: HttpCaller
  readonly env: Environment
  readonly region: string
  now(): number
}

const RENEW_BEFORE_MS = 5 * 60_000
const CONTAINER_HOST = 'http://169.254.170.2'
const INSTANCE_HOST = 'http://169.254.169.254'

export function createFindAwsCredentials(ports: CredentialPorts): FindAwsCredentials {
  let found: Found | null = null
  let finding: Promise<Found> | null = null
  return async () => {
    if (found !== null && (found.expiresAt === null || found.expiresAt - RENEW_BEFORE_MS > ports.now()))
      return found.credentials
    finding ??= find(ports).finally(() => {
      finding = null
    })
    found = await finding
    return found.credentials
  }
}

async function find(ports: CredentialPorts): Promise<Found> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = ports.env
  if (id !== undefined && secret !== undefined)
    return {
      credentials: { accessKeyId: id, secretAccessKey: secret, sessionToken: token ?? null },
      expiresAt: null,
    }
  if (ports.env.AWS_WEB_IDENTITY_TOKEN_FILE !== undefined) return await assumeRole(ports)
  const container = findContainerUrl(ports.env)
  return container === null ? await askInstance(ports) : await askContainer(container, ports)
}

function findContainerUrl(env: Environment): string | null {
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: full, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative } = env
  return full ?? (relative === undefined ? null : `${CONTAINER_HOST}${relative}`)
}

async function askContainer(url: string, { http, env }: CredentialPorts): Promise<Found> {
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  const token = file === undefined ? env.AWS_CONTAINER_AUTHORIZATION_TOKEN : await readToken(file)
  const headers = token === undefined ? {} : { authorization: token }
  return readCredentials(await http.call({ method: 'GET', url: new URL(url), headers }))
}

/** IMDSv2: a token first, then the name of the role, then its credentials. */
async function askInstance({ http, env }: CredentialPorts): Promise<Found> {
  const base = env.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? INSTANCE_HOST
  const at = (path: string) => new URL(`/latest/${path}`, base)
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }
  const token = await http.call({ method: 'PUT', url: at('api/token'), headers: ttl })
  const headers = { 'x-aws-ec2-metadata-token': token.body }
  const role = await http.call({ method: 'GET', url: at('meta-data/iam/security-credentials/'), headers })
  if (token.status !== 200 || role.status !== 200) throw new KeyStoreAway('this machine has no AWS credentials')
  const path = `meta-data/iam/security-credentials/${role.body.trim()}`
  return readCredentials(await http.call({ method: 'GET', url: at(path), headers }))
}

/** A Kubernetes service account (IRSA): its token is exchanged for the credentials of a role. */
async function assumeRole({ http, env, region }: CredentialPorts): Promise<Found> {
  const url = new URL(env.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.amazonaws.com/`)
  const query = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: env.AWS_ROLE_ARN ?? '',
    RoleSessionName: env.AWS_ROLE_SESSION_NAME ?? 'drover',
    WebIdentityToken: await readToken(env.AWS_WEB_IDENTITY_TOKEN_FILE ?? ''),
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(query).toString()
  const reply = await http.call({ method: 'POST', url, headers, body })
  const text = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(reply.body)?.[1]
  const [AccessKeyId, SecretAccessKey] = [text('AccessKeyId'), text('SecretAccessKey')]
  const json = { AccessKeyId, SecretAccessKey, Token: text('SessionToken'), Expiration: text('Expiration') }
  return readCredentials({ status: reply.status, body: JSON.stringify(json) })
}

function readCredentials({ status, body }: { readonly status: number; readonly body: string }): Found {
  const { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: end } = parseReply(body)
  if (status !== 200 || typeof id !== 'string' || typeof secret !== 'string')
    throw new KeyStoreAway(`AWS gave no credentials (status ${status})`)
  const sessionToken = typeof token === 'string' ? token : null
  const expiresAt = typeof end === 'string' ? Date.parse(end) : null
  return { credentials: { accessKeyId: id, secretAccessKey: secret, sessionToken }, expiresAt }
}

async function readToken(file: string): Promise<string> {
  return (
    await readFile(file, 'utf8').catch(() => {
      throw new KeyStoreAway(`cannot read ${file}`)
    })
  ).trim()
}
