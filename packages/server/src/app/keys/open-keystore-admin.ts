/** Keys in a keystore folder without a service and without a database: created and imported as encrypted files. */
import { randomBytes } from 'node:crypto'
import { checksumAddress } from '../../api/contract/values/address.ts'
import type { SecretRef } from '../../ports/secret-ref.ts'
import { createReadSecret } from '../../signer/read-secret.ts'
import { openSigningKit } from '../../signer/signing-kit.ts'
import { writeKeystore } from '../../signer/sources/write-keystore.ts'
import { readPrivateKey } from './read-private-key.ts'

export interface KeystoreAdmin {
  create(): Promise<WrittenSigner>
  /** `text`: 32 bytes in hex. Throws AppError if it is not a private key; the error does not quote it. */
  import(text: string): Promise<WrittenSigner>
}

export interface WrittenSigner {
  readonly address: string
  readonly file: string
  readonly isNew: boolean
}

export interface KeystoreAdminSettings {
  readonly folder: string
  readonly password: SecretRef
  warn(message: string): void
}

export async function openKeystoreAdmin(settings: KeystoreAdminSettings): Promise<KeystoreAdmin> {
  const { folder, warn } = settings
  const password = await createReadSecret(warn)(settings.password)
  const kit = await openSigningKit()
  async function write(privateKey: Uint8Array): Promise<WrittenSigner> {
    try {
      const { address, ...rest } = await writeKeystore(privateKey, { folder, password, kit })
      return { address: checksumAddress(address), ...rest }
    } finally {
      privateKey.fill(0)
    }
  }
  return {
    // Almost every 32 bytes are a private key; if these are not, it fails and can be run again.
    create: () => write(randomBytes(32)),
    import: (text) => readPrivateKey(text, write),
  }
}
