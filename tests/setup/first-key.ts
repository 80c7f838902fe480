/** The first API key of a database: over HTTP nobody gets it. */
import { openKeyAdmin } from '../../packages/server/src/app/open-key-admin.ts'

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
