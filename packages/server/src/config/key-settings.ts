/** Where the keys of signers are. Several sources can be used together. */
import type { Hex } from '../core/hex.ts'
import type { SecretRef } from '../ports/secret-ref.ts'
import { setting } from './setting.ts'
import { keyList } from './values/key-list.ts'
import { type PathRange, pathRange } from './values/path-range.ts'
import { secretRef, secretRefList } from './values/secret-ref.ts'
import { httpUrl, secretPartsOf } from './values/service-url.ts'
import { optional, text, textList } from './values/setting-type.ts'

/** Whoever writes the secret itself in its place must not find it in an error: these are treated like secrets. */
const mayBeSecret = (): readonly string[] => []

export const KEY_SETTINGS = {
  signerKeys: setting<readonly Hex[]>({
    type: keyList,
    fallback: [],
    description:
      'Private keys of the accounts to send from. For tests and trials: use another key source in production (see keys.md).',
    secrets: (keys) => keys.map((key) => key.slice(2)),
  }),
  keystoreDir: setting<string | null>({
    type: optional(text, 'none'),
    fallback: null,
    description:
      'A folder of encrypted keystore files (version 3, as geth, Foundry and most wallets write them). Files can be added and removed while Drover runs.',
  }),
  keystorePassword: setting<SecretRef | null>({
    type: optional(secretRef, 'none'),
    fallback: null,
    description: 'Where the password of the files in `keystoreDir` is.',
    secrets: mayBeSecret,
  }),
  mnemonic: setting<SecretRef | null>({
    type: optional(secretRef, 'none'),
    fallback: null,
    description: 'Where a BIP-39 phrase is, whose accounts Drover sends from.',
    secrets: mayBeSecret,
  }),
  mnemonicPath: setting<PathRange>({
    type: pathRange,
    fallback: { parent: "m/44'/60'/0'/0", first: 0, last: 0 },
    description: 'Which accounts of `mnemonic` to use.',
  }),
  masterKey: setting<readonly SecretRef[]>({
    type: secretRefList,
    fallback: [],
    description:
      'Where the master key is: 32 bytes in hex or base64. Private keys in the database are encrypted under it (AES-256-GCM). The first one encrypts, the others still decrypt. Create one with `openssl rand -hex 32`.',
    secrets: mayBeSecret,
  }),
  remoteSignerUrl: setting<string | null>({
    type: optional(httpUrl, 'none'),
    fallback: null,
    description:
      'URL of a remote signer with `eth_accounts` and `eth_signTransaction` (Web3Signer, Clef). Drover checks everything that it signs.',
    secrets: (url) => (url === null ? [] : secretPartsOf(url)),
  }),
  remoteSignerCertFile: setting<string | null>({
    type: optional(text, 'none'),
    fallback: null,
    description: 'Path of the client certificate (PEM) to show to the remote signer.',
  }),
  remoteSignerKeyFile: setting<string | null>({
    type: optional(text, 'none'),
    fallback: null,
    description: 'Path of the private key (PEM) of `remoteSignerCertFile`.',
  }),
  remoteSignerCaFile: setting<string | null>({
    type: optional(text, 'the authorities that Node.js trusts'),
    fallback: null,
    description: 'Path of the certificate authority (PEM) of the remote signer.',
  }),
  awsKmsKeyIds: setting<readonly string[]>({
    type: textList('key ids, ARNs or aliases'),
    fallback: [],
    description:
      'Keys in AWS KMS (ECC_SECG_P256K1). Credentials come from the usual places: AWS_ACCESS_KEY_ID, the role of the pod, container or instance.',
  }),
  awsRegion: setting<string | null>({
    type: optional(text, 'AWS_REGION'),
    fallback: null,
    description: 'The region of `awsKmsKeyIds`.',
  }),
  awsKmsEndpoint: setting<string | null>({
    type: optional(httpUrl, 'the public one of the region'),
    fallback: null,
    description: 'Another endpoint of AWS KMS, such as a VPC endpoint.',
  }),
  googleKmsKeyVersions: setting<readonly string[]>({
    type: textList('key versions (`projects/…/cryptoKeyVersions/1`)'),
    fallback: [],
    description:
      'Keys in Google Cloud KMS (EC_SIGN_SECP256K1_SHA256). Credentials come from GOOGLE_APPLICATION_CREDENTIALS or the metadata server.',
  }),
  googleKmsEndpoint: setting<string | null>({
    type: optional(httpUrl, 'https://cloudkms.googleapis.com'),
    fallback: null,
    description: 'Another endpoint of Google Cloud KMS.',
  }),
  vaultUrl: setting<string | null>({
    type: optional(httpUrl, 'none'),
    fallback: null,
    description:
      'URL of HashiCorp Vault. Drover fetches private keys from its KV engine once and keeps them in memory.',
    secrets: (url) => (url === null ? [] : secretPartsOf(url)),
  }),
  vaultToken: setting<SecretRef | null>({
    type: optional(secretRef, 'none'),
    fallback: null,
    description: 'Where the token for Vault is.',
    secrets: mayBeSecret,
  }),
  vaultPaths: setting<readonly string[]>({
    type: textList('paths'),
    fallback: [],
    description:
      'Paths of secrets in Vault with the field `private_key`, such as `secret/data/drover/payouts` (KV version 2).',
  }),
} as const

export const KEY_SETTING_NAMES = Object.keys(KEY_SETTINGS) as readonly (keyof typeof KEY_SETTINGS)[]
