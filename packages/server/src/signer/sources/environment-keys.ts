/** Private keys from the setting `signerKeys`. For tests and trials: anyone who can read the environment has them. */
import type { Hex } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { createLocalKeys, type LocalKeys } from '../local-keys.ts'
import type { SigningKit } from '../signing-kit.ts'
import { createLocalSource } from './local-source.ts'

export function openEnvironmentKeys(keys: readonly Hex[], kit: SigningKit): KeySource {
  return createLocalSource('environment', 'DROVER_SIGNER_KEYS', addAll(keys, kit))
}

/** The keys that `drover dev` brings. Nobody has set them, so no setting is their place. */
export function openDemoKeys(keys: readonly Hex[], kit: SigningKit): KeySource {
  return createLocalSource('demo', 'drover dev', addAll(keys, kit))
}

function addAll(keys: readonly Hex[], kit: SigningKit): LocalKeys {
  const local = createLocalKeys(kit)
  for (const [index, key] of keys.entries()) {
    try {
      local.add(Buffer.from(key.slice(2), 'hex'))
    } catch {
      throw new Error(`signer key ${index + 1} of ${keys.length} is not a private key`)
    }
  }
  return local
}
