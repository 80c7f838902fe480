/** Signs with keys that are given as text, such as those in an environment variable. */
import { inspect } from 'node:util'
import type { Hex } from '../core/hex.ts'
import type { Signer } from '../ports/signer.ts'
import { createLocalKeys } from './local-keys.ts'
import { JAVASCRIPT_KIT, type SigningKit } from './signing-kit.ts'

const KEY = /^0x[0-9a-fA-F]{64}$/

export function createLocalSigner(keys: readonly Hex[], kit: SigningKit = JAVASCRIPT_KIT): Signer {
  const local = createLocalKeys(kit)
  for (const [index, key] of keys.entries()) {
    try {
      if (!KEY.test(key)) throw new Error('not hex')
      local.add(Buffer.from(key.slice(2), 'hex'))
    } catch {
      // Names the position, never the key.
      throw new Error(`signer key ${index + 1} of ${keys.length} is not a private key: expected 0x and 64 hex digits`)
    }
  }
  const addresses = local.addresses()
  const shown = { addresses }
  return Object.assign<Signer, object>(
    { addresses: () => addresses, sign: async (address, transaction) => local.sign(address, transaction) },
    { toJSON: () => shown, [inspect.custom]: () => shown },
  )
}
