/** A key source whose keys were given once and stay in memory: an environment variable, a mnemonic. */
import { inspect } from 'node:util'
import type { KeySource, KeySourceType } from '../../ports/key-source.ts'
import type { LocalKeys } from '../local-keys.ts'

export function createLocalSource(type: KeySourceType, place: string, keys: LocalKeys): KeySource {
  const shown = () => ({ type, place, addresses: keys.addresses() })
  return Object.assign<KeySource, object>(
    {
      type,
      place,
      isInMemory: true,
      addresses: keys.addresses,
      sign: async (address, transaction) => keys.sign(address, transaction),
      look: async () => {},
      onChange: () => {},
      close: async () => keys.clear(),
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}
