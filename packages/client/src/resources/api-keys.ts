/** API keys: who may call the service, for what and how often; and the record of what they did. */
import type { ApiKey, ApiKeyRequest, AuditCheck, AuditEntry, NewApiKey } from '../generated/api-types.ts'
import type { CallOptions, Request } from '../transport/operation.ts'
import { spellTime } from './intent.ts'

export type ApiKeyIntent = Omit<ApiKeyRequest, 'expiresAt'> & {
  /** Left out or null: never. */
  readonly expiresAt?: string | Date | null
}

export interface ApiKeys {
  /** Revoked and expired ones too. */
  list(options?: CallOptions): Promise<readonly ApiKey[]>
  /** Its `token` is returned only here. Once the first key exists, every call needs one. */
  create(key: ApiKeyIntent, options?: CallOptions): Promise<NewApiKey>
  /** No node accepts it any more once this returns. */
  revoke(id: string, options?: CallOptions): Promise<ApiKey>
}

export interface AuditOptions extends CallOptions {
  /** How many are fetched at a time; at most 200. */
  readonly pageSize?: number
}

export interface AuditCheckOptions extends CallOptions {
  /** `last.id` of an earlier check that found nothing. */
  readonly after?: number
}

export function createApiKeys(request: Request): ApiKeys {
  return {
    list: async (options) => (await request('GET /v1/api-keys', {}, options)).items,
    create: ({ expiresAt, ...rest }, options) => {
      const time = expiresAt === undefined || expiresAt === null ? null : spellTime(expiresAt)
      return request('POST /v1/api-keys', { body: { ...rest, expiresAt: time } }, options)
    },
    revoke: (id, options) => request('DELETE /v1/api-keys/{id}', { params: { id } }, options),
  }
}

export function createAudit(request: Request) {
  return async function* audit({ pageSize = 100, signal }: AuditOptions = {}): AsyncGenerator<AuditEntry, void> {
    for (let before: number | null | undefined; before !== null; ) {
      const query = { limit: pageSize, ...(before !== undefined && { before }) }
      const { items, next } = await request('GET /v1/audit', { query }, { signal })
      yield* items
      before = next
    }
  }
}

export function createCheckAudit(request: Request) {
  /** Until the end, or the first entry that was altered. */
  return async ({ after = 0, signal }: AuditCheckOptions = {}): Promise<AuditCheck> => {
    for (let from = after; ; ) {
      const found = await request('GET /v1/audit/check', { query: { after: from } }, { signal })
      if (found.brokenAt !== null || found.last.id <= from) return found
      from = found.last.id
    }
  }
}
