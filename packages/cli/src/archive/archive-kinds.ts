/** What can be archived, and what came of it. */
import type { ArchiveKind } from '@drover/server/admin'

export const ARCHIVE_KINDS = ['transactions', 'events', 'audit'] as const satisfies readonly ArchiveKind[]

export interface WrittenFile {
  readonly kind: ArchiveKind
  readonly path: string
  readonly lines: number
}
