/** One account for each key source, with real files and local services behind them, and the settings that use them all. */
import { createCipheriv, generateKeyPairSync, randomBytes, scryptSync } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from 'viem'
import { english, generateMnemonic, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { AWS_REGION, startFakeAwsKms } from '../../packages/server/src/testing/signer/fake-aws-kms.ts'
import { startFakeGoogleKms } from '../../packages/server/src/testing/signer/fake-google-kms.ts'
import { startFakeRemoteSigner } from '../../packages/server/src/testing/signer/fake-remote-signer.ts'
import type { FakeService } from '../../packages/server/src/testing/signer/fake-service.ts'
import { startFakeVault } from '../../packages/server/src/testing/signer/fake-vault.ts'
import { TEST_CERTIFICATES } from '../../packages/server/src/testing/signer/test-certificates.ts'

type Key = `0x${string}`

export interface KeyServices {
  readonly folder: string
  /** By key source. */
  readonly addresses: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  /** Nobody may ever see one of these. */
  readonly secrets: readonly string[]
  readonly services: Readonly<Record<'remote' | 'aws_kms' | 'google_kms' | 'vault', FakeService>>
  stop(): Promise<void>
}

export const anyKey = (): Key => `0x${randomBytes(32).toString('hex')}`
const anySecret = () => randomBytes(24).toString('hex')

/** `cost`: the N of scrypt. Wallets write 262,144, which takes 256 MiB for about a second. */
export function writeKeystore(folder: string, name: string, key: Key, password: string, cost: number): Promise<void> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = scryptSync(password, salt, 32, { N: cost, r: 8, p: 1, maxmem: 2 ** 30 })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(key.slice(2), 'hex')), cipher.final()])
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2)
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams: { n: cost, r: 8, p: 1, dklen: 32, salt: salt.toString('hex') },
    mac,
  }
  const address = privateKeyToAddress(key).slice(2).toLowerCase()
  return writeFile(join(folder, name), JSON.stringify({ version: 3, address, crypto }), { mode: 0o600 })
}

export async function startKeyServices(): Promise<KeyServices> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-keys-'))
  const put = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), `${text}\n`, { mode: 0o600 })
    return join(folder, name)
  }
  const keys = {
    environment: anyKey(),
    keystore: anyKey(),
    vault: anyKey(),
    remote: anyKey(),
    aws_kms: anyKey(),
    google_kms: anyKey(),
  }
  const phrase = generateMnemonic(english)
  const [password, token, awsSecret, googleToken] = [anySecret(), anySecret(), anySecret(), anySecret()]
  const masterKey = randomBytes(32).toString('hex')
  await mkdir(join(folder, 'keystore'))
  await writeKeystore(join(folder, 'keystore'), 'payouts.json', keys.keystore, password, 4_096)
  const aws = { accessKeyId: 'AKIATEST', secretAccessKey: awsSecret, sessionToken: null }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const version = 'projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'
  const services = {
    remote: await startFakeRemoteSigner([keys.remote]),
    aws_kms: await startFakeAwsKms({ 'alias/payouts': keys.aws_kms }, aws),
    google_kms: await startFakeGoogleKms({
      keys: { [version]: keys.google_kms },
      publicKey: rsa.publicKey,
      token: googleToken,
    }),
    vault: await startFakeVault({ 'secret/data/payouts': { data: { private_key: keys.vault } } }, token),
  }
  const rsaKey = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const account = { client_email: 'drover@p', private_key: rsaKey, token_uri: `${services.google_kms.url}/token` }
  const { ca, clientCert, clientKey } = TEST_CERTIFICATES
  const addresses: Record<string, string> = { mnemonic: mnemonicToAccount(phrase).address }
  for (const [name, key] of Object.entries(keys)) addresses[name] = privateKeyToAddress(key)
  return {
    folder,
    addresses,
    services,
    secrets: [
      ...Object.values(keys).map((key) => key.slice(2)),
      ...[password, phrase, token, awsSecret, googleToken, masterKey, rsaKey.slice(40, 80), clientKey.slice(40, 80)],
    ],
    env: {
      DROVER_SIGNER_KEYS: keys.environment,
      DROVER_KEYSTORE_DIR: join(folder, 'keystore'),
      DROVER_KEYSTORE_PASSWORD: `file:${await put('password', password)}`,
      DROVER_MNEMONIC: `command:cat ${await put('phrase', phrase)}`,
      DROVER_MASTER_KEY: `file:${await put('master', masterKey)}`,
      DROVER_REMOTE_SIGNER_URL: services.remote.url,
      DROVER_REMOTE_SIGNER_CERT_FILE: await put('client.crt', clientCert),
      DROVER_REMOTE_SIGNER_KEY_FILE: await put('client.key', clientKey),
      DROVER_REMOTE_SIGNER_CA_FILE: await put('ca.crt', ca),
      DROVER_AWS_KMS_KEY_IDS: 'alias/payouts',
      DROVER_AWS_REGION: AWS_REGION,
      DROVER_AWS_KMS_ENDPOINT: services.aws_kms.url,
      AWS_ACCESS_KEY_ID: aws.accessKeyId,
      AWS_SECRET_ACCESS_KEY: awsSecret,
      DROVER_GOOGLE_KMS_KEY_VERSIONS: version,
      DROVER_GOOGLE_KMS_ENDPOINT: services.google_kms.url,
      GOOGLE_APPLICATION_CREDENTIALS: await put('account.json', JSON.stringify(account)),
      DROVER_VAULT_URL: services.vault.url,
      DROVER_VAULT_TOKEN: `file:${await put('vault-token', token)}`,
      DROVER_VAULT_PATHS: 'secret/data/payouts',
    },
    stop: async () => {
      for (const service of Object.values(services)) await service.stop()
      await rm(folder, { recursive: true })
    },
  }
}
