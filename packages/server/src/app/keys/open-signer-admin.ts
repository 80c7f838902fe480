/** Keys in the database without a service: created, imported and encrypted again, by anyone with the master key. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import type { SecretRef } from '../../ports/secret-ref.ts'
import { readMasterKeys } from '../../signer/master-keys.ts'
import { createReadSecret } from '../../signer/read-secret.ts'
import { openSigningKit } from '../../signer/signing-kit.ts'
import { createStoredKeys, type Rotation } from '../../signer/stored-keys.ts'
import { createPostgresAccessStore } from '../../store/postgres/access/postgres-access-store.ts'
import { createPostgresKeyStore } from '../../store/postgres/keys/postgres-key-store.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { readPrivateKey } from './read-private-key.ts'

export interface SignerAdmin {
  create(): Promise<{ readonly address: string }>
  /** `text`: 32 bytes in hex. Throws AppError if it is not a private key; the error does not quote it. */
  import(text: string): Promise<{ readonly address: string; readonly isNew: boolean }>
  /** Encrypts all keys under the first master key. */
  rotate(): Promise<Rotation>
  close(): Promise<void>
}

export interface SignerAdminSettings {
  readonly databaseUrl: string
  readonly masterKeys: readonly SecretRef[]
  warn(message: string): void
}

export async function openSignerAdmin({ databaseUrl, masterKeys, warn }: SignerAdminSettings): Promise<SignerAdmin> {
  const keys = await readMasterKeys(masterKeys, createReadSecret(warn))
  await migrate(databaseUrl)
  const telemetry = { log() {}, count() {}, gauge() {} }
  const options = { databaseUrl, telemetry, applicationName: 'drover signer' }
  const [store, access] = [createPostgresKeyStore(options), createPostgresAccessStore(options)]
  const stored = createStoredKeys({ store, masterKeys: () => keys, kit: await openSigningKit() })
  const record = (operation: string, target: string): Promise<void> =>
    access.appendAudit({ keyId: null, actor: 'command line', nodeId: null, operation, target, result: 'done' })

  return {
    create: async () => {
      const address = checksumAddress(await stored.create())
      await record('createSignerKey', `/v1/signers/${address}`)
      return { address }
    },
    import: async (text) => {
      const { address, isNew } = await readPrivateKey(text, stored.import)
      const name = checksumAddress(address)
      if (isNew) await record('importSignerKey', `/v1/signers/${name}`)
      return { address: name, isNew }
    },
    rotate: async () => {
      const result = await stored.rotate()
      await record('rotateMasterKey', `/v1/signers (master key ${result.keyId})`)
      return result
    },
    close: async () => {
      await Promise.all([store.close(), access.close()])
    },
  }
}
