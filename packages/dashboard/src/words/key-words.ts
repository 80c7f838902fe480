/** Key sources by name. */
import type { LaneResource } from '../api/api-resources.ts'

type Key = NonNullable<LaneResource['key']>

const SOURCES: Readonly<Record<Key['source'], string>> = {
  environment: 'environment variable',
  demo: 'demo key',
  keystore: 'keystore',
  mnemonic: 'mnemonic',
  database: 'database',
  vault: 'Vault',
  remote: 'remote signer',
  aws_kms: 'AWS KMS',
  google_kms: 'Google Cloud KMS',
}

export function describeKey({ source, place }: Key): string {
  const name = SOURCES[source]
  return place.startsWith(name) ? place : `${name}: ${place}`
}
