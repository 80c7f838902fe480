/** A key source whose keys are in memory, wherever they came from. */
import { inspect } from 'node:util'
import type { KeySource, KeySourceType } from '../../ports/key-source.ts'
import type { LocalKeys } from '../local-keys.ts'

interface Origin {
  /** Looks for keys that were added or removed; left out: they were given once. */
  look?(): Promise<void>
  onChange?(listener: () => void): void
  /** Before the keys are forgotten. */
  close?(): Promise<void> | void
}

export function createLocalSource(
  type: KeySourceType,
  place: string,
  keys: LocalKeys,
  { look, onChange, close }: Origin = {},
): KeySource {
  const shown = () => ({ type, place, addresses: keys.addresses() })
  return Object.assign<KeySource, object>(
    {
      type,
      place,
      isInMemory: true,
      addresses: keys.addresses,
      // A key that is in memory signs, whatever has become of its origin since.
      sign: async (address, transaction) => keys.sign(address, transaction),
      look: async () => await look?.(),
      onChange: (listener) => onChange?.(listener),
      close: async () => {
        await close?.()
        keys.clear()
      },
    },
    { toJSON: shown, [inspect.custom]: shown },
  )
}
