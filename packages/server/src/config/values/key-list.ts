/** Private keys of signers. Only their number is ever shown; whether a key is on the curve is for `signer/` to say. */
import type { Hex } from '../../core/hex.ts'
import { isHex } from '../../core/hex.ts'
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

export const keyList: SettingType<readonly Hex[]> = {
  label: 'comma-separated list of private keys, 32 bytes of hex each',
  parse(input) {
    const items = splitList(input)
    if (items === null || items.length === 0) return refuse('must be one or more private keys, separated by commas')
    const keys: Hex[] = []
    for (const [index, item] of items.entries()) {
      const key = item.toLowerCase().startsWith('0x') ? item.toLowerCase() : `0x${item.toLowerCase()}`
      if (!isHex(key) || key.length !== 66)
        return refuse(`must contain keys of 32 bytes in hex; number ${index + 1} of ${items.length} is not one`)
      if (keys.includes(key)) return refuse(`must contain each key only once; number ${index + 1} is a duplicate`)
      keys.push(key)
    }
    return accept(keys)
  },
  print: (keys) => (keys.length === 1 ? '1 key' : `${keys.length} keys`),
}
