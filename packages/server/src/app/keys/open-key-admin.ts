/** API keys without a service: created, listed and revoked directly in the database, by anyone with access to it. */
import { createApiKeys } from '../../api/access/api-keys.ts'
import { parseKeyToken } from '../../api/access/key-token.ts'
import { apiKeyRequest } from '../../api/contract/requests/api-key-request.ts'
import type { ApiKeyResource } from '../../api/contract/resources/api-key-resource.ts'
import { parseInput } from '../../api/parse-input.ts'
import { presentApiKey } from '../../api/present/present-api-key.ts'
import { type Caller, LOCAL_CALLER } from '../../core/access/caller.ts'
import { createReleaseKey } from '../../engine/reservations/release-key.ts'
import { createPostgresAccessStore } from '../../store/postgres/access/postgres-access-store.ts'
import { migrate } from '../../store/postgres/migrate.ts'
import { createPostgresStore } from '../../store/postgres/postgres-store.ts'
import { createSystemClock } from '../system-clock.ts'

export interface KeyAdmin {
  /** `wanted` is as in a request to the API; throws AppError where it is not. */
  create(wanted: unknown): Promise<ApiKeyResource & { readonly token: string }>
  list(): Promise<readonly ApiKeyResource[]>
  /** Also the last one with `admin`: `isLast` says that no key is left that could create keys over the API. */
  revoke(id: string): Promise<{ readonly key: ApiKeyResource; readonly isLast: boolean }>
  close(): Promise<void>
}

const COMMAND_LINE: Caller = { ...LOCAL_CALLER, name: 'command line' }

export async function openKeyAdmin(databaseUrl: string): Promise<KeyAdmin> {
  // The first key is created before the first start.
  await migrate(databaseUrl)
  const telemetry = { log() {}, count() {}, gauge() {} }
  const store = createPostgresAccessStore({ databaseUrl, telemetry, applicationName: 'drover key' })
  const lanes = createPostgresStore({ databaseUrl, telemetry, applicationName: 'drover key' })
  const releaseReservations = createReleaseKey(lanes)
  const keys = createApiKeys({ store, clock: createSystemClock(), withoutKey: true, releaseReservations })

  const record = (operation: string, id: string): Promise<void> =>
    store.appendAudit({
      keyId: null,
      actor: COMMAND_LINE.name,
      nodeId: null,
      operation,
      target: `/v1/api-keys/${id}`,
      result: 'done',
    })

  return {
    async create(wanted) {
      const { key, token } = await keys.create(COMMAND_LINE, parseInput(apiKeyRequest, wanted))
      await record('createApiKey', key.id)
      return { ...presentApiKey(key), token }
    },
    list: async () => (await keys.list(COMMAND_LINE)).map(presentApiKey),
    async revoke(given) {
      // A user who has only the token passes that.
      const id = parseKeyToken(given)?.id ?? given
      const key = await keys.revoke(COMMAND_LINE, id, { evenLast: true })
      await record('revokeApiKey', id)
      const left = await keys.list(COMMAND_LINE)
      const isLast = !left.some(({ revokedAt, expiresAt, scopes }) => {
        const isExpired = expiresAt !== null && expiresAt <= Date.now()
        return revokedAt === null && !isExpired && scopes.includes('admin')
      })
      return { key: presentApiKey(key), isLast }
    },
    close: async () => {
      await Promise.all([store.close(), lanes.close()])
    },
  }
}
