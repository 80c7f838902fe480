/** The settings of key sources, as the program uses them. */
import type { Hex } from '../core/hex.ts'
import type { SecretRef } from '../ports/secret-ref.ts'
import type { ConfigProblem } from './config-problems.ts'
import { KEY_SETTING_NAMES, type KEY_SETTINGS } from './key-settings.ts'
import type { SettingValues } from './settings.ts'
import type { PathRange } from './values/path-range.ts'

/** Null, or an empty list: the source is not used. */
export interface KeyConfig {
  readonly privateKeys: readonly Hex[]
  /** The private keys are those of `drover dev`, which everyone knows. No setting says so. */
  readonly areDemoKeys: boolean
  readonly keystore: { readonly folder: string; readonly password: SecretRef } | null
  readonly mnemonic: { readonly phrase: SecretRef; readonly path: PathRange } | null
  /** The first encrypts. */
  readonly masterKeys: readonly SecretRef[]
  readonly remote: {
    readonly url: string
    /** Paths of PEM files. */
    readonly tls: { readonly cert: string | null; readonly key: string | null; readonly ca: string | null }
  } | null
  readonly awsKms: {
    readonly keys: readonly string[]
    /** Null: what AWS_REGION says. */
    readonly region: string | null
    readonly endpoint: string | null
  } | null
  readonly googleKms: { readonly keys: readonly string[]; readonly endpoint: string | null } | null
  readonly vault: { readonly url: string; readonly token: SecretRef; readonly paths: readonly string[] } | null
}

type KeyValues = Pick<SettingValues, keyof typeof KEY_SETTINGS>

export function toKeyConfig(values: KeyValues): KeyConfig {
  const { keystoreDir: folder, keystorePassword: password, mnemonic: phrase, remoteSignerUrl, vaultUrl } = values
  const { vaultToken } = values
  return {
    privateKeys: values.signerKeys,
    areDemoKeys: false,
    keystore: folder === null || password === null ? null : { folder, password },
    mnemonic: phrase === null ? null : { phrase, path: values.mnemonicPath },
    masterKeys: values.masterKey,
    remote: remoteSignerUrl === null ? null : { url: remoteSignerUrl, tls: tlsOf(values) },
    awsKms:
      values.awsKmsKeyIds.length === 0
        ? null
        : { keys: values.awsKmsKeyIds, region: values.awsRegion, endpoint: values.awsKmsEndpoint },
    googleKms:
      values.googleKmsKeyVersions.length === 0
        ? null
        : { keys: values.googleKmsKeyVersions, endpoint: values.googleKmsEndpoint },
    vault:
      vaultUrl === null || vaultToken === null ? null : { url: vaultUrl, token: vaultToken, paths: values.vaultPaths },
  }
}

function tlsOf({ remoteSignerCertFile: cert, remoteSignerKeyFile: key, remoteSignerCaFile: ca }: KeyValues) {
  return { cert, key, ca }
}

/** Null if one of the settings is wrong. */
export function findKeyConfig({ values }: { readonly values: Partial<SettingValues> }): KeyConfig | null {
  return KEY_SETTING_NAMES.every((name) => values[name] !== undefined) ? toKeyConfig(values as KeyValues) : null
}

/** Values that belong together, and no key at all. */
export function findKeyProblems(values: Partial<KeyValues>): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const needs = (one: keyof KeyValues, other: keyof KeyValues) => {
    if (isGiven(values[one]) && !isGiven(values[other]))
      problems.push({ place: other, message: `is required if ${one} is set` })
  }
  needs('keystoreDir', 'keystorePassword')
  needs('keystorePassword', 'keystoreDir')
  needs('vaultUrl', 'vaultToken')
  needs('vaultUrl', 'vaultPaths')
  needs('vaultPaths', 'vaultUrl')
  needs('remoteSignerCertFile', 'remoteSignerKeyFile')
  needs('remoteSignerKeyFile', 'remoteSignerCertFile')
  const sources = ['signerKeys', 'keystoreDir', 'mnemonic', 'masterKey', 'remoteSignerUrl', 'vaultUrl'] as const
  const hasSource = [...sources, 'awsKmsKeyIds' as const, 'googleKmsKeyVersions' as const].some(
    // Undefined: it was given, and is wrong.
    (name) => values[name] === undefined || isGiven(values[name]),
  )
  if (!hasSource)
    problems.push({
      place: 'signerKeys',
      message:
        'is required: set DROVER_SIGNER_KEYS, or another key source such as DROVER_KEYSTORE_DIR or DROVER_MASTER_KEY',
    })
  return problems
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}
