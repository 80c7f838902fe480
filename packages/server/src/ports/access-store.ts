/** Keys and the audit. Apart from the store of transactions, so that a lookup of a key never waits behind their writes. */
import type { ApiKey, KeyGrant, KeyId } from '../core/access/api-key.ts'
import type { Reach } from '../core/access/caller.ts'

/** A key as requests are checked against it. */
export interface KeyRecord extends ApiKey {
  /** SHA-256 of its secret, hexadecimal. */
  readonly secretDigest: string
  /** By the database's clock, when it was read; not above 0: it has expired, null: it never does. */
  readonly expiresInMs: number | null
}

export interface NewKey extends KeyGrant {
  readonly id: KeyId
  readonly secretDigest: string
  readonly createdBy: string
}

export type RevokeOutcome =
  /** Also for one that was revoked before: it stays as it was. */
  | { readonly type: 'revoked'; readonly key: ApiKey }
  /** No key would be left that can create keys over the API. */
  | { readonly type: 'last_admin' }
  | { readonly type: 'not_found' }

export interface AuditNote {
  readonly keyId: KeyId | null
  readonly actor: string
  readonly nodeId: string | null
  /** The operation's name in the API's description. */
  readonly operation: string
  /** What it was done to: a path, never a body. */
  readonly target: string
  /** `done`, or the code of the error that it was refused with. */
  readonly result: string
}

export interface AuditEntry extends AuditNote {
  readonly id: number
  readonly at: number
  /** SHA-256 over the entry and the hash of the one before it, hexadecimal. */
  readonly hash: string
}

export interface AuditCheck {
  /** The first entry that was changed, or that is missing; null: none. */
  readonly brokenAt: number | null
  readonly last: { readonly id: number; readonly hash: string }
  /** The last entry that was deleted because it was old: the chain begins after it. */
  readonly deleted: { readonly id: number; readonly hash: string } | null
}

export interface AuditDeletion {
  /** By the clock of the database. */
  readonly olderThanMs: number
  readonly limit: number
  /** Leaves those that were not archived yet. */
  readonly onlyArchived: boolean
}

export interface AccessStore {
  /** In order; null if there is none. `hasKeys` says whether any key was ever created, including revoked ones. */
  findKeys(ids: readonly KeyId[]): Promise<{ readonly hasKeys: boolean; readonly keys: readonly (KeyRecord | null)[] }>
  /** Whether there is a key that opens anything at this moment. */
  hasActiveKey(): Promise<boolean>
  insertKey(key: NewKey): Promise<ApiKey>
  /** Newest first, revoked ones too; only those whose own reach is within this one. */
  listKeys(reach: Reach): Promise<readonly ApiKey[]>
  /**
   * Durable when it returns; every node is notified. Only within this reach. `evenLast`: even if no other key with
   * `admin` would be left.
   */
  revokeKey(
    id: KeyId,
    by: { readonly actor: string; readonly reach: Reach; readonly evenLast: boolean },
  ): Promise<RevokeOutcome>
  /** These were used about now. */
  touchKeys(ids: readonly KeyId[]): Promise<void>

  /** Entries are numbered without gaps, and each is chained to the one before. */
  appendAudit(note: AuditNote): Promise<void>
  /** Recomputes the chain from a first entry on. Reads every entry up to `limit`: `last` says how far it got. */
  checkAudit(from: { readonly after: number; readonly limit: number }): Promise<AuditCheck>
  /** Newest first, those before an id. */
  listAudit(page: { readonly before: number | null; readonly limit: number }): Promise<readonly AuditEntry[]>
  /**
   * Deletes the oldest entries, as far as they are this old, and keeps the number and hash of the last one. Says how many, and the
   * last one's number. Null: another node is deleting.
   */
  deleteAudit(which: AuditDeletion): Promise<{ readonly count: number; readonly lastId: number } | null>
  close(): Promise<void>
}
