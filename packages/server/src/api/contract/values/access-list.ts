/** Access lists (EIP-2930): addresses, each with the storage keys it declares in advance. */
import { z } from 'zod'
import type { AccessList } from '../../../core/chain/access-list.ts'
import { address, addressInput, checksumAddress } from './address.ts'
import { hash, hashInput } from './bytes.ts'

/** Addresses and keys together. Signed bytes may have 128 KiB, and each of these takes 32 at most. */
const MAX_ENTRIES = 1_000

export const accessListInput = z
  .array(z.strictObject({ address: addressInput, storageKeys: z.array(hashInput).max(MAX_ENTRIES) }))
  .max(MAX_ENTRIES)
  .refine((list) => countEntries(list) <= MAX_ENTRIES, {
    error: `must have at most ${MAX_ENTRIES} addresses and storage keys together`,
  })
  .meta({ description: 'Access list (EIP-2930).' })

export const accessList = z.array(z.object({ address, storageKeys: z.array(hash) }))

export function presentAccessList(list: AccessList): z.infer<typeof accessList> {
  return list.map(({ address: at, storageKeys }) => ({ address: checksumAddress(at), storageKeys: [...storageKeys] }))
}

function countEntries(list: AccessList): number {
  return list.reduce((count, { storageKeys }) => count + 1 + storageKeys.length, 0)
}
