/** The first API key of a database, which cannot be created over HTTP. */
import { openKeyAdmin } from '../../packages/server/src/app/keys/open-key-admin.ts'

export interface FirstKey {
  readonly id: string
  readonly token: string
}

export async function createFirstKey(databaseUrl: string, grant: object): Promise<FirstKey> {
  const keys = await openKeyAdmin(databaseUrl)
  try {
    return await keys.create(grant)
  } finally {
    await keys.close()
  }
}
