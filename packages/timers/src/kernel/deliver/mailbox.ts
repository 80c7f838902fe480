/** R3: accepts each entry once; repeats are dropped, and an id with other content is reported, never overwritten. */
import type { Hex } from '../bytes/hex.ts'
import { entryDigestOf, type MailboxEntry } from './mailbox-entry.ts'

export type Admission =
  | { readonly type: 'admitted'; readonly entry: MailboxEntry; readonly digest: Hex }
  | { readonly type: 'duplicate'; readonly deliverId: Hex }
  | { readonly type: 'conflict'; readonly deliverId: Hex; readonly knownDigest: Hex; readonly digest: Hex }

/** Digests of what was taken in before, by deliver id. */
export type KnownEntries = ReadonlyMap<Hex, Hex>

export function admitEntries(known: KnownEntries, entries: readonly MailboxEntry[]): readonly Admission[] {
  const seen = new Map<Hex, Hex>()
  return entries.map((entry) => {
    const digest = entryDigestOf(entry)
    const earlier = known.get(entry.deliverId) ?? seen.get(entry.deliverId)
    if (earlier === undefined) {
      seen.set(entry.deliverId, digest)
      return { type: 'admitted', entry, digest }
    }
    if (earlier === digest) return { type: 'duplicate', deliverId: entry.deliverId }
    return { type: 'conflict', deliverId: entry.deliverId, knownDigest: earlier, digest }
  })
}
