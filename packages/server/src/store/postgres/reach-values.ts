/** A caller's reach as two statement parameters: signers and chains, null for all. */
import type { Reach } from '../../core/access/caller.ts'
import { toBytes } from './json-text.ts'

export function reachValues(reach: Reach | undefined): readonly unknown[] {
  return [reach?.signers?.map((signer) => toBytes(signer)) ?? null, reach?.chains ?? null]
}
