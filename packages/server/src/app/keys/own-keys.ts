/** The keys of this node, as the API may use them. */
import type { OwnKeys } from '../../api/api-services.ts'
import type { Config } from '../../config/config.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Adapters } from '../open-adapters.ts'
import { policyOf } from '../service-settings.ts'

export function createOwnKeys(
  config: Config,
  adapters: Pick<Adapters, 'signer' | 'store' | 'keyStore' | 'storedKeys'>,
  telemetry: Pick<Telemetry, 'log'>,
): OwnKeys {
  const { signer, store, keyStore, storedKeys } = adapters
  return {
    addresses: signer.addresses,
    defaultPolicy: (address) => policyOf(config, address),
    find: signer.find,
    check: signer.check,
    create: async () => {
      if (storedKeys === null) return null
      const address = await storedKeys.create()
      // The caller may use it at once, on this node.
      await signer.lookAgain('database')
      return address
    },
    remove: async (address, note) => {
      const outcome = await store.removeSigner(address, note)
      // Also if an earlier removal was interrupted between the two.
      if (outcome.type !== 'busy' && (await keyStore.remove(address))) {
        if (!(await keyStore.scrub()))
          telemetry.log('warn', 'the key was removed, but its ciphertext may remain in the database', {
            signer: address,
            reason: 'an older database transaction is still open',
            next: 'End it, then run `drover signer rotate-master`.',
          })
        await signer.lookAgain('database')
      }
      return outcome
    },
  }
}
