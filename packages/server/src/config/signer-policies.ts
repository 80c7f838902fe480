/** Which preset each signer gets: one for all (`fast`), or a list with exceptions (`stable,0xabc…=fast`). */
import { type Address, isAddress } from '../core/hex.ts'
import type { Policy } from '../core/lane/policy.ts'
import { accept, refuse, type SettingType, splitList } from './values/setting-type.ts'

export type Preset = Policy['preset']

export interface SignerPolicies {
  readonly preset: Preset
  readonly byAddress: ReadonlyMap<Address, Preset>
}

export const ALL_STABLE: SignerPolicies = { preset: 'stable', byAddress: new Map() }

export const signerPolicies: SettingType<SignerPolicies> = {
  label: '`stable`, `fast`, or a comma-separated list of `address=preset`',
  parse(input) {
    const items = splitList(input)
    if (items === null || items.length === 0) return refuse('must be "stable" or "fast", or a list of address=preset')
    let preset: Preset | null = null
    const byAddress = new Map<Address, Preset>()
    for (const item of items) {
      const [left = '', right, ...rest] = item.split('=').map((part) => part.trim())
      const named = findPreset(right ?? left)
      const address = left.toLowerCase()
      if (named === null || rest.length > 0) return refuse('must contain only the presets "stable" and "fast"')
      if (right !== undefined && !isAddress(address)) return refuse('must have a signer address before each "="')
      if (right === undefined && preset !== null) return refuse('must name only one preset for all other signers')
      if (isAddress(address) && byAddress.has(address)) return refuse('must name each address only once')
      if (right === undefined) preset = named
      else if (isAddress(address)) byAddress.set(address, named)
    }
    return accept({ preset: preset ?? 'stable', byAddress })
  },
  print: ({ preset, byAddress }) =>
    [preset, ...[...byAddress].map(([address, exception]) => `${address}=${exception}`)].join(','),
}

function findPreset(text: string): Preset | null {
  if (text === 'stable' || text === 'fast') return text
  return null
}
