/** The keys of this node, as the API may use them. */
import type { OwnKeys } from '../../api/api-services.ts'
import type { Config } from '../../config/config.ts'
import type { Adapters } from '../open-adapters.ts'
import { policyOf } from '../service-settings.ts'

export function createOwnKeys(
  config: Config,
  { signer, store, keyStore, storedKeys }: Pick<Adapters, 'signer' | 'store' | 'keyStore' | 'storedKeys'>,
): OwnKeys {
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
        await keyStore.scrub()
        await signer.lookAgain('database')
      }
      return outcome
    },
  }
}
