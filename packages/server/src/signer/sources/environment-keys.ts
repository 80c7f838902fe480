/** Private keys from the setting `signerKeys`. For tests and trials: anyone who can read the environment has them. */
import type { Hex } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { createLocalKeys } from '../local-keys.ts'
import type { SigningKit } from '../signing-kit.ts'
import { createLocalSource } from './local-source.ts'

export function openEnvironmentKeys(keys: readonly Hex[], kit: SigningKit): KeySource {
  const local = createLocalKeys(kit)
  for (const [index, key] of keys.entries()) {
    try {
      local.add(Buffer.from(key.slice(2), 'hex'))
    } catch {
      throw new Error(`signer key ${index + 1} of ${keys.length} is not a private key`)
    }
  }
  return createLocalSource('environment', 'DROVER_SIGNER_KEYS', local)
}
