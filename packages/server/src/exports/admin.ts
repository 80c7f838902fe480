/**
 * What keeps a database and its API keys in order, and what finds out what is wrong, without the whole service. Each
 * loads only what it needs, so that a command starts fast.
 */
import type { Archive, ArchiveKind, ArchivePage } from '../app/archive/open-archive.ts'
import type { Subject } from '../app/diagnose/diagnose.ts'
import type { Finding } from '../app/diagnose/finding.ts'
import type { KeyAdmin } from '../app/keys/open-key-admin.ts'
import type { KeystoreAdmin, KeystoreAdminSettings, WrittenSigner } from '../app/keys/open-keystore-admin.ts'
import type { SignerAdmin, SignerAdminSettings } from '../app/keys/open-signer-admin.ts'

export type {
  Archive,
  ArchiveKind,
  ArchivePage,
  Finding,
  KeyAdmin,
  KeystoreAdmin,
  KeystoreAdminSettings,
  SignerAdmin,
  SignerAdminSettings,
  Subject,
  WrittenSigner,
}

export async function diagnose(subject: Subject): Promise<readonly Finding[]> {
  return (await import('../app/diagnose/diagnose.ts')).diagnose(subject)
}

export async function openKeyAdmin(databaseUrl: string): Promise<KeyAdmin> {
  return (await import('../app/keys/open-key-admin.ts')).openKeyAdmin(databaseUrl)
}

export async function openSignerAdmin(settings: SignerAdminSettings): Promise<SignerAdmin> {
  return (await import('../app/keys/open-signer-admin.ts')).openSignerAdmin(settings)
}

export async function openKeystoreAdmin(settings: KeystoreAdminSettings): Promise<KeystoreAdmin> {
  return (await import('../app/keys/open-keystore-admin.ts')).openKeystoreAdmin(settings)
}

/** Null: another archive is running. */
export async function openArchive(databaseUrl: string): Promise<Archive | null> {
  return (await import('../app/archive/open-archive.ts')).openArchive(databaseUrl)
}

/** Brings the schema of the database to what this version needs. */
export async function migrate(databaseUrl: string): Promise<{ applied: readonly number[]; version: number }> {
  return (await import('../store/postgres/migrate.ts')).migrate(databaseUrl)
}
