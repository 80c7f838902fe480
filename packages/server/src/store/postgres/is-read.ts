/**
 * Whether a statement only reads, by its text. Whoever reads may give up waiting. A wrong answer does no harm, because a
 * statement that was given up counts as one that may have been done.
 */
const READS = /^\s*(?:select|with)\b/i
const CHANGES =
  /\b(?:insert|update|delete|truncate|nextval|pg_notify|for\s+(?:no\s+key\s+)?update|for\s+(?:key\s+)?share|pg_\w*advisory\w*)\b/i

/** Texts are few: each is judged once. */
const known = new Map<string, boolean>()
const MAX_KNOWN = 1_000

export function isRead(text: string): boolean {
  const before = known.get(text)
  if (before !== undefined) return before
  const found = READS.test(text) && !CHANGES.test(text)
  if (known.size < MAX_KNOWN) known.set(text, found)
  return found
}
