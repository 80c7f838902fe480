/** Creates, lists and revokes keys. A caller cannot grant more than its own key allows. */
import {
  type ApiKey,
  chooseTenant,
  findExcess,
  type Holding,
  type KeyId,
  type KeyRequest,
} from '../../core/access/api-key.ts'
import { ALL_LANES, actorOf, type Caller } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { hasExpired, untilForgotten } from './key-lookup.ts'
import { createKeyToken } from './key-token.ts'

export interface ApiKeys {
  /** `token` is returned here and nowhere else. */
  create(caller: Caller, wanted: KeyRequest): Promise<{ readonly key: ApiKey; readonly token: string }>
  list(caller: Caller): Promise<readonly ApiKey[]>
  /** When it is answered, every node refuses the key, and nothing that it reserved and did not use is left. `evenLast`: also the last key with `admin`. After that, creating keys requires access to the database. */
  revoke(caller: Caller, id: KeyId, options?: { readonly evenLast?: boolean }): Promise<ApiKey>
}

interface ApiKeysPorts {
  /**
   * Whether keys can be created without having one: only with direct access to the database. Over HTTP the first caller
   * would get the first key.
   */
  readonly withoutKey: boolean
  readonly store: Pick<AccessStore, 'findKeys' | 'insertKey' | 'listKeys' | 'revokeKey'>
  readonly clock: Pick<Clock, 'now' | 'schedule'>
  /** Whether spending rules bind a key. Left out: none does. */
  hasRules?(keyId: KeyId): Promise<boolean>
  /** Releases the nonces that were reserved with a key and not used. */
  releaseReservations(keyId: KeyId, by: OperatorAct): Promise<void>
}

export function createApiKeys({ store, clock, withoutKey, hasRules, releaseReservations }: ApiKeysPorts): ApiKeys {
  /** Read again: a key may grant only what it has now. */
  async function getHolding(caller: Caller): Promise<Holding> {
    if (caller.keyId === null && !withoutKey) {
      const message =
        'Create the first API key on the command line: "drover key create --name ops --scope read,send,operate,admin".'
      throw new AppError('forbidden', message)
    }
    if (caller.keyId === null) return { ...caller, expiresAt: null }
    const [own] = (await store.findKeys([caller.keyId])).keys
    if (!own || own.revokedAt !== null || hasExpired(own))
      throw new AppError('unauthorized', 'Your API key was revoked.')
    return { ...caller, ...own }
  }

  /** Rules bind one key: a new one would be free of them. */
  async function refuseEscape({ keyId }: Caller, { scopes }: KeyRequest): Promise<void> {
    const escapes = scopes.some((scope) => scope === 'send' || scope === 'admin' || scope === 'approve')
    if (keyId === null || !escapes || (await hasRules?.(keyId)) !== true) return
    const message =
      'Your own API key is bound by spending rules, so it cannot create keys that send, approve or administer.'
    throw new AppError('forbidden', message, { field: 'scopes' })
  }

  /**
   * The creating key may have been revoked since it was checked. A key made by a revoked key must not outlive it
   * unnoticed.
   */
  async function withdrawUnlessAllowed(caller: Caller, id: KeyId): Promise<void> {
    try {
      await getHolding(caller)
    } catch (error) {
      await store.revokeKey(id, { actor: actorOf(caller), reach: ALL_LANES, evenLast: true })
      await releaseReservations(id, { actor: actorOf(caller), reason: `API key ${id} was revoked` })
      throw error
    }
  }

  return {
    async create(caller, request) {
      const wanted = { ...request, tenant: chooseTenant(caller, request) }
      if (wanted.expiresAt !== null && wanted.expiresAt <= clock.now())
        throw new AppError('invalid_request', 'expiresAt is in the past.', { field: 'expiresAt' })
      const excess = findExcess(await getHolding(caller), wanted)
      if (excess !== null) {
        const message = `A key cannot grant more than your own key has: ${excess.why}.`
        throw new AppError('forbidden', message, { field: excess.field })
      }
      await refuseEscape(caller, wanted)
      const { token, ...made } = createKeyToken()
      const key = await store.insertKey({ ...wanted, ...made, createdBy: actorOf(caller) })
      await withdrawUnlessAllowed(caller, key.id)
      return { key, token }
    },
    list: (caller) => store.listKeys(caller),
    async revoke(caller, id, { evenLast = false } = {}) {
      const outcome = await store.revokeKey(id, { actor: actorOf(caller), reach: caller, evenLast })
      switch (outcome.type) {
        case 'revoked': {
          // Also for a key that was revoked before, so a retry after a failure here completes the work.
          const release = () => releaseReservations(id, { actor: actorOf(caller), reason: `API key ${id} was revoked` })
          await Promise.all([release(), untilForgotten(clock)])
          // Until now a node that had not heard of the revocation may have reserved more.
          await release()
          return outcome.key
        }
        case 'not_found':
          throw new AppError('not_found', `There is no API key ${id}.`, { field: 'id' })
        case 'last_admin':
          throw new AppError(
            'action_forbidden',
            `${id} is the last key with the scope admin. Create another one first, or revoke it with "drover key revoke" on a machine that can reach the database.`,
            { action: 'revoke' },
          )
      }
    },
  }
}
