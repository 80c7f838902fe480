/** Key sources behind HTTP, against local services that speak the same wire format with real keys. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Hex, toAddress } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { AWS_REGION, startFakeAwsKms } from '../../testing/signer/fake-aws-kms.ts'
import { startFakeGoogleKms } from '../../testing/signer/fake-google-kms.ts'
import { startFakeRemoteSigner } from '../../testing/signer/fake-remote-signer.ts'
import { startFakeService } from '../../testing/signer/fake-service.ts'
import { startFakeVault } from '../../testing/signer/fake-vault.ts'
import { describeKeySource } from '../../testing/signer/key-source.suite.ts'
import { TEST_CERTIFICATES } from '../../testing/signer/test-certificates.ts'
import { createHttpCaller } from '../http-call.ts'
import { createFindAwsCredentials } from '../kms/aws-credentials.ts'
import { openAwsKms } from '../kms/aws-kms.ts'
import { openGoogleKms } from '../kms/google-kms.ts'
import { addressOf } from '../local-keys.ts'
import { openSigningKit } from '../signing-kit.ts'
import { openRemoteSigner } from './remote-signer.ts'
import { openVaultKeys } from './vault-keys.ts'

const kit = await openSigningKit()
const { keccak } = kit
const KEYS: readonly Hex[] = [`0x${randomBytes(32).toString('hex')}`, `0x${randomBytes(32).toString('hex')}`]
const [FIRST = '0x', SECOND = '0x'] = KEYS
const folder = await mkdtemp(join(tmpdir(), 'drover-services-'))
afterAll(() => rm(folder, { recursive: true }))

const addressOfKey = (key: Hex) => addressOf(Buffer.from(key.slice(2), 'hex'), kit)
const secret = () => randomBytes(20).toString('hex')
const now = () => Date.now()

const aws = { accessKeyId: 'AKIATEST', secretAccessKey: secret(), sessionToken: null }
const awsEnv = { AWS_ACCESS_KEY_ID: aws.accessKeyId, AWS_SECRET_ACCESS_KEY: aws.secretAccessKey }

describeKeySource(
  'AWS KMS',
  async () => {
    const service = await startFakeAwsKms({ 'alias/one': FIRST, two: SECOND }, aws)
    const settings = { keys: ['alias/one', 'two'], region: AWS_REGION, endpoint: service.url }
    const source = openAwsKms(settings, { keccak, env: awsEnv, now })
    return { source, privateKeys: KEYS, secrets: [aws.secretAccessKey], setAway: service.setAway, stop: service.stop }
  },
  { isDeterministic: false },
)

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const versionOf = (key: string) => `projects/p/locations/europe-west1/keyRings/r/cryptoKeys/${key}/cryptoKeyVersions/1`

async function writeAccount(tokenUri: string): Promise<string> {
  const file = join(folder, 'account.json')
  const key = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })
  await writeFile(file, JSON.stringify({ client_email: 'drover@p', private_key: key, token_uri: tokenUri }))
  return file
}

describeKeySource(
  'Google Cloud KMS',
  async () => {
    const token = secret()
    const keys = { [versionOf('one')]: FIRST, [versionOf('two')]: SECOND }
    const service = await startFakeGoogleKms({ keys, publicKey: rsa.publicKey, token })
    const env = { GOOGLE_APPLICATION_CREDENTIALS: await writeAccount(`${service.url}/token`) }
    const source = openGoogleKms({ keys: Object.keys(keys), endpoint: service.url }, { keccak, env, now })
    return { source, privateKeys: KEYS, secrets: [token], setAway: service.setAway, stop: service.stop }
  },
  { isDeterministic: false },
)

const { ca, clientCert: cert, clientKey: key } = TEST_CERTIFICATES

describeKeySource(
  'remote signer with a client certificate',
  async () => {
    const service = await startFakeRemoteSigner(KEYS)
    const withPassword = service.url.replace('https://', 'https://user:pass-word@')
    const source = openRemoteSigner(withPassword, { ca, cert, key }, keccak)
    return { source, privateKeys: KEYS, secrets: ['pass-word', key], setAway: service.setAway, stop: service.stop }
  },
  { isDeterministic: true },
)

describeKeySource(
  'Vault',
  async () => {
    const token = secret()
    const secrets = { 'secret/data/one': { data: { private_key: FIRST } }, 'kv/two': { key: SECOND.slice(2) } }
    const service = await startFakeVault(secrets, token)
    const settings = { url: service.url, token: { type: 'file', path: 'x' } as const, paths: Object.keys(secrets) }
    const source = openVaultKeys(settings, { kit, readSecret: async () => token, tls: {} })
    return { source, privateKeys: KEYS, secrets: [token], stop: service.stop }
  },
  { isDeterministic: true },
)

const asked = {
  chainId: 1,
  nonce: 3,
  to: '0x00000000000000000000000000000000000000aa',
  data: '0x',
  value: 5n,
  gasLimit: 21_000n,
  fees: { type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 2n },
} as const

describe('a remote signer is not trusted', () => {
  const from = addressOfKey(FIRST)
  const open = async () => {
    const service = await startFakeRemoteSigner(KEYS)
    const source = openRemoteSigner(service.url, { ca, cert, key }, keccak)
    await source.look()
    return { service, source }
  }

  test.each([
    ['to', { to: '0x00000000000000000000000000000000000000bb' }],
    ['to', { to: undefined }],
    ['value', { value: '0x6' }],
    ['data', { data: '0xff' }],
    ['nonce', { nonce: '0x4' }],
    ['chainId', { chainId: '0x2' }],
    ['gas', { gas: '0x5209' }],
    ['fees', { maxFeePerGas: '0xa' }],
    ['fees', { maxPriorityFeePerGas: '0x1' }],
    ['type', { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, gasPrice: '0x9' }],
    ['accessList', { accessList: [{ address: asked.to, storageKeys: [] }] }],
    ['signer', { from: addressOfKey(SECOND) }],
  ])('another %s than asked is not used (%j)', async (field, change) => {
    const { service, source } = await open()
    service.lie((request) => ({ ...request, ...change }))
    await expect(source.sign(from, asked)).rejects.toThrow(`(${field} differs); it was not used`)
    service.lie(null)
    await source.sign(from, asked)
    await source.close()
    await service.stop()
  })

  test.each(['0x', '0x1234', 'nonsense', '0x02c0'])('an answer that is no transaction is not used: %s', async (raw) => {
    const { service, source } = await open()
    service.lie(() => raw)
    await expect(source.sign(from, asked)).rejects.toThrow('it was not used')
    await source.close()
    await service.stop()
  })

  test('a service without our certificate, or of another authority, gets nothing', async () => {
    const service = await startFakeRemoteSigner(KEYS)
    const without = openRemoteSigner(service.url, { ca }, keccak)
    await expect(without.look()).rejects.toThrow('does not respond')
    const stranger = openRemoteSigner(service.url, { cert, key }, keccak)
    await expect(stranger.look()).rejects.toThrow('does not respond')
    expect(service.count()).toBe(0)
    for (const source of [without, stranger]) await source.close()
    await service.stop()
  })
})

describe('refusals are told by their name, not by their message', () => {
  const problemOf = async (source: KeySource) => {
    const problem: unknown = await source.look().catch((error: unknown) => error)
    await source.close()
    return String(problem)
  }

  test('AWS', async () => {
    const service = await startFakeAwsKms({ one: FIRST }, aws)
    const at = { region: AWS_REGION, endpoint: service.url }
    const missing = openAwsKms({ ...at, keys: ['three'] }, { keccak, env: awsEnv, now })
    expect(await problemOf(missing)).toBe('KeyStoreAway: AWS KMS refuses GetPublicKey: NotFoundException (status 400)')
    const env = { ...awsEnv, AWS_SECRET_ACCESS_KEY: 'wrong' }
    const wrong = openAwsKms({ ...at, keys: ['one'] }, { keccak, env, now })
    expect(await problemOf(wrong)).toContain('InvalidSignatureException')
    await service.stop()
  })

  test('Google', async () => {
    const service = await startFakeGoogleKms({ keys: {}, publicKey: rsa.publicKey, token: 'token' })
    const env = { GOOGLE_APPLICATION_CREDENTIALS: await writeAccount(`${service.url}/token`) }
    const source = openGoogleKms({ keys: [versionOf('one')], endpoint: service.url }, { keccak, env, now })
    expect(await problemOf(source)).toBe('KeyStoreAway: Google Cloud KMS refuses: NOT_FOUND (status 404)')
    await service.stop()
  })

  test('Vault', async () => {
    const service = await startFakeVault({ 'kv/one': { other: 'x' } }, 'token')
    const at = { url: service.url, token: { type: 'file', path: 'x' } as const }
    const ports = { kit, readSecret: async () => 'token', tls: {} }
    expect(await problemOf(openVaultKeys({ ...at, paths: ['kv/one'] }, ports))).toContain('has no private key')
    const stranger = { ...ports, readSecret: async () => 'wrong' }
    expect(await problemOf(openVaultKeys({ ...at, paths: ['kv/one'] }, stranger))).toContain('status 403')
    await service.stop()
  })

  test('a signature of another key', async () => {
    const keys: Record<string, Hex> = { one: FIRST }
    const service = await startFakeAwsKms(keys, aws)
    const settings = { keys: ['one'], region: AWS_REGION, endpoint: service.url }
    const source = openAwsKms(settings, { keccak, env: awsEnv, now })
    await source.look()
    keys.one = SECOND
    const address = toAddress(addressOfKey(FIRST))
    await expect(source.sign(address, asked)).rejects.toThrow(`returned a signature that is not of ${address}`)
    await source.close()
    await service.stop()
  })
})

test('a key that cannot be read does not keep the others from signing', async () => {
  const token = secret()
  const service = await startFakeGoogleKms({ keys: { [versionOf('two')]: SECOND }, publicKey: rsa.publicKey, token })
  const env = { GOOGLE_APPLICATION_CREDENTIALS: await writeAccount(`${service.url}/token`) }
  const keys = [versionOf('gone'), versionOf('two')]
  const source = openGoogleKms({ keys, endpoint: service.url }, { keccak, env, now })
  const problem: unknown = await source.look().catch((error: unknown) => error)
  expect(problem).toMatchObject({ isOneKey: true, message: expect.stringContaining('NOT_FOUND') })
  expect(source.addresses()).toEqual([addressOfKey(SECOND)])
  await source.sign(addressOfKey(SECOND), asked)
  await source.close()
  await service.stop()
})

describe('AWS credentials are found where the SDKs find them, and renewed', () => {
  const temporary = (id: string, at: number) =>
    JSON.stringify({ AccessKeyId: id, SecretAccessKey: 's', Token: 't', Expiration: new Date(at).toISOString() })
  const expected = (id: string) => ({ accessKeyId: id, secretAccessKey: 's', sessionToken: 't' })

  test('from the role of an instance, a container and a service account', async () => {
    let time = Date.parse('2026-01-01T00:00:00Z')
    const file = join(folder, 'token')
    await writeFile(file, 'web-token\n')
    const xml = (id: string) =>
      `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></Credentials>`
    const service = await startFakeService(({ url, headers, body }) => {
      if (url.pathname === '/latest/api/token') return { status: 200, body: 'imds' }
      if (url.pathname === '/container' && headers.authorization === 'web-token')
        return { status: 200, body: temporary('container', time + 3_600_000) }
      if (body.includes('WebIdentityToken=web-token')) return { status: 200, body: xml('account') }
      if (headers['x-aws-ec2-metadata-token'] !== 'imds') return { status: 401, body: '' }
      if (url.pathname.endsWith('/security-credentials/')) return { status: 200, body: 'role\n' }
      return { status: 200, body: temporary(`instance at ${time}`, time + 3_600_000) }
    })
    const http = createHttpCaller()
    const find = (env: Record<string, string>) =>
      createFindAwsCredentials({ http, env, region: AWS_REGION, now: () => time })
    const instance = find({ AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url })
    const first = await instance()
    expect(first).toEqual(expected(`instance at ${time}`))
    expect(await instance()).toBe(first)
    time += 3_500_000
    expect(await instance()).toEqual(expected(`instance at ${time}`))
    const container = find({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
    })
    expect(await container()).toEqual(expected('container'))
    const account = find({ AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn', AWS_ENDPOINT_URL_STS: service.url })
    expect(await account()).toEqual(expected('account'))
    http.close()
    await service.stop()
  })
})
