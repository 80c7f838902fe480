/** AWS Signature Version 4: the headers that prove who makes a request. */
import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
}

export interface AwsRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface AwsScope {
  readonly region: string
  readonly service: string
  readonly now: Date
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The given headers, and those that AWS wants besides. */
export function signAwsRequest(
  { method, url, headers, body }: AwsRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: AwsScope,
): Record<string, string> {
  const time = now.toISOString().replace(/[:-]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-date': time }
  if (sessionToken !== null) all['x-amz-security-token'] = sessionToken
  const names = Object.keys(all).sort()
  const signedHeaders = names.join(';')
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const lines = names.map((name) => `${name}:${all[name]?.trim().replace(/\s+/g, ' ')}\n`).join('')
  const canonical = [method, url.pathname, query, lines, signedHeaders, sha256(body)].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex')
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
  return { ...all, authorization }
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}
