/** Opens the key sources of the settings. What is set wrong ends the start; a service that is away is waited for. */
import { readFile } from 'node:fs/promises'
import type { KeyConfig } from '../../config/key-config.ts'
import type { KeySource } from '../../ports/key-source.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { TlsFiles } from '../../signer/http-call.ts'
import { openAwsKms } from '../../signer/kms/aws-kms.ts'
import { openGoogleKms } from '../../signer/kms/google-kms.ts'
import { createReadSecret } from '../../signer/read-secret.ts'
import type { SigningKit } from '../../signer/signing-kit.ts'
import { type DatabaseKeys, openDatabaseKeys } from '../../signer/sources/database-keys.ts'
import { openDemoKeys, openEnvironmentKeys } from '../../signer/sources/environment-keys.ts'
import { openKeystoreFolder } from '../../signer/sources/keystore-folder.ts'
import { openMnemonicKeys } from '../../signer/sources/mnemonic-keys.ts'
import { openRemoteSigner } from '../../signer/sources/remote-signer.ts'
import { openVaultKeys } from '../../signer/sources/vault-keys.ts'

interface KeyPorts {
  readonly kit: SigningKit
  readonly telemetry: Pick<Telemetry, 'log'>
  /** Null: the database is not to be asked. */
  readonly store: KeyStore | null
}

export interface OpenKeys {
  readonly sources: readonly KeySource[]
  /** Null: there is no master key, so no key can be stored. */
  readonly database: DatabaseKeys | null
}

/** A key source that is set wrong: a wrong password, a file that is missing or may not be read. No bug of Drover. */
class UnusableKeys extends Error {
  constructor(cause: Error) {
    super(cause.message)
    this.name = 'UnusableKeys'
  }
}

export async function openKeys(config: KeyConfig, ports: KeyPorts): Promise<OpenKeys> {
  return await openAll(config, ports).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'Error' ? new UnusableKeys(error) : error
  })
}

async function openAll(config: KeyConfig, { kit, telemetry, store }: KeyPorts): Promise<OpenKeys> {
  const warned = new Set<string>()
  const warn = (message: string): void => {
    if (warned.has(message)) return
    warned.add(message)
    telemetry.log('warn', message)
  }
  const readSecret = createReadSecret(warn)
  const { keccak } = kit
  const outside = { keccak, env: process.env, now: Date.now }
  const { keystore, mnemonic, remote, awsKms, googleKms, vault, masterKeys } = config
  const database =
    masterKeys.length === 0 || store === null ? null : await openDatabaseKeys(masterKeys, { store, kit, readSecret })
  const sources: readonly (KeySource | null)[] = [
    config.privateKeys.length === 0 ? null : openGivenKeys(config, kit),
    keystore && (await openKeystoreFolder(keystore, { kit, readSecret, warn })),
    mnemonic && (await openMnemonicKeys(mnemonic, { kit, readSecret })),
    database,
    vault && openVaultKeys(vault, { kit, readSecret, tls: {} }),
    remote && openRemoteSigner(remote.url, await readTls(remote.tls), keccak),
    awsKms && openAwsKms({ ...awsKms, region: awsKms.region ?? findAwsRegion() }, outside),
    googleKms && openGoogleKms(googleKms, outside),
  ]
  return { sources: sources.filter((source) => source !== null), database }
}

function openGivenKeys({ privateKeys, areDemoKeys }: KeyConfig, kit: SigningKit): KeySource {
  return areDemoKeys ? openDemoKeys(privateKeys, kit) : openEnvironmentKeys(privateKeys, kit)
}

async function readTls({ cert, key, ca }: NonNullable<KeyConfig['remote']>['tls']): Promise<TlsFiles> {
  const read = async (path: string) =>
    await readFile(path, 'utf8').catch(() => {
      throw new Error(`cannot read ${path}`)
    })
  return {
    ...(cert !== null && { cert: await read(cert) }),
    ...(key !== null && { key: await read(key) }),
    ...(ca !== null && { ca: await read(ca) }),
  }
}

function findAwsRegion(): string {
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION
  if (region === undefined) throw new Error('awsRegion is required for AWS KMS: set DROVER_AWS_REGION or AWS_REGION')
  return region
}
