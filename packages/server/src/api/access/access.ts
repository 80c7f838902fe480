/**
 * Authenticates requests, and keeps the record of who did what.
 *
 * What is known of a key is never older than half a second (see key-lookup.ts). There is one exception: without the
 * database, metrics would be unavailable when they are needed most. So a caller whose key was valid before may read
 * them, and nothing else, based on what this node remembers.
 */
import type { KeyId } from '../../core/access/api-key.ts'
import { type Caller, LOCAL_CALLER, type Rate } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { AccessStore } from '../../ports/access-store.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type AuditTrail, createAuditTrail } from './audit-trail.ts'
import { createKeyLookup, type KnownKey } from './key-lookup.ts'
import { createKeyPresence } from './key-presence.ts'
import { type KeyToken, matchesSecret, parseKeyToken } from './key-token.ts'
import { createKeyUse } from './key-use.ts'
import { createRateLimiter } from './rate-limiter.ts'

export interface Access extends AuditTrail {
  /** No key was ever created, as far as this node knows. */
  isOpen(): boolean
  /** Throws `unauthorized` or `rate_limited`. `duringOutage`: a remembered key is enough while the database is down. */
  identify(authorization: string | undefined, options?: { readonly duringOutage?: boolean }): Promise<Caller>
  /**
   * The tenant of a key that was admitted before, from memory alone; null if there is none. It decides who waits for whom,
   * never what a caller may do.
   */
  recognize(authorization: string): string | null
  /** Whether a caller that was admitted before still would be. For anything that lasts longer than a request. */
  isAllowed(caller: Pick<Caller, 'keyId'>): Promise<boolean>
  /** The same for one more request of that caller, which counts like any other. Throws `rate_limited`. */
  readmit(caller: Caller): Promise<boolean>
  /**
   * Counts the items of a request after the first, which counts with the request. Throws `rate_limited`, or
   * `invalid_request` if that many can never be sent at once.
   */
  chargeItems(caller: Caller, items: number): void
  /** A key exists now, so this node does not have to find out by itself. */
  lock(): void
  close(): Promise<void>
}

interface AccessPorts {
  readonly store: AccessStore
  /** Says when keys were changed. */
  readonly notices: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

const BEARER = /^Bearer +(\S+)$/i
const OUTAGE_AFTER_MS = 1_000
const MAX_REMEMBERED = 1_000

type Refusal = 'missing' | 'malformed' | 'unknown' | 'revoked' | 'expired' | 'rate' | 'scope'

export function createAccess({ store, notices, clock, telemetry, nodeId }: AccessPorts): Access {
  const lookup = createKeyLookup({ store, clock })
  const unlisten = notices.listen(({ type }) => {
    if (type === 'keys.changed' || type === 'gap') lookup.forget()
  })
  const limiter = createRateLimiter({ clock })
  const use = createKeyUse({ store, clock, telemetry })
  const presence = createKeyPresence({ store, clock, telemetry })
  const remembered = new Map<KeyId, KnownKey>()
  /** One caller for all requests that share a read of their key: what is made for a caller is made once for them. */
  const callers = new WeakMap<KnownKey, Caller>()

  function refuse(reason: Refusal, message: string): AppError {
    telemetry.count('drover_access_refused_total', { reason })
    return new AppError('unauthorized', message)
  }

  function callerOf(key: KnownKey): Caller {
    const known = callers.get(key)
    if (known !== undefined) return known
    const caller = toCaller(key)
    callers.set(key, caller)
    return caller
  }

  async function checkOpen(): Promise<Caller> {
    if (!(await presence.check())) return LOCAL_CALLER
    throw refuse('missing', 'An API key is required. Send it in the header "Authorization: Bearer drv_…".')
  }

  function judge(given: KeyToken, key: KnownKey | null): KnownKey {
    if (!matchesSecret(given, key) || key === null) throw refuse('unknown', 'This API key is unknown.')
    // Only a caller with the secret gets more detail.
    if (key.revokedAt !== null || isOver(key)) remembered.delete(key.id)
    if (key.revokedAt !== null) throw refuse('revoked', `API key ${key.id} was revoked.`)
    if (isOver(key)) throw refuse('expired', `API key ${key.id} has expired.`)
    return key
  }

  /** A key that was read earlier may have expired since. */
  function isOver({ endsAt }: KnownKey): boolean {
    return endsAt !== null && endsAt <= clock.monotonic()
  }

  async function find(given: KeyToken, duringOutage: boolean): Promise<KnownKey> {
    const asked = lookup.find(given.id)
    const key = judge(given, await (duringOutage ? orRemembered(given.id, asked) : asked))
    presence.notify()
    remember(key)
    return key
  }

  function remember(key: KnownKey): void {
    remembered.delete(key.id)
    remembered.set(key.id, key)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  async function orRemembered(id: KeyId, asked: Promise<KnownKey | null>): Promise<KnownKey | null> {
    let cancel = (): void => {}
    const late = new Promise<'late'>((resolve) => {
      cancel = clock.schedule(OUTAGE_AFTER_MS, () => resolve('late'))
    })
    try {
      const answer = await Promise.race([asked, late])
      return answer === 'late' ? (remembered.get(id) ?? (await asked)) : answer
    } catch (error) {
      const known = remembered.get(id)
      if (!(error instanceof StoreUnavailable) || known === undefined) throw error
      return known
    } finally {
      cancel()
    }
  }

  function countRequest({ id, rate }: KnownKey): void {
    if (rate !== null) takeFrom(id, rate, 1)
    use.note(id)
  }

  function takeFrom(id: KeyId, rate: Rate, items: number): void {
    const taken = limiter.take(id, rate, items)
    if (taken.type === 'taken') return
    telemetry.count('drover_access_refused_total', { reason: 'rate' })
    const message = `API key ${id} has reached its rate limit (${rate.perSecond} items per second, ${rate.burst} at once). Retry after the time given.`
    throw new AppError('rate_limited', message, { retryAfterMs: taken.retryAfterMs })
  }

  function chargeItems({ keyId, rate }: Caller, items: number): void {
    if (keyId === null || rate === null || items <= 1) return
    if (items > rate.burst) {
      const message = `The request has ${items} items, but API key ${keyId} may send only ${rate.burst} at once. Send fewer per request.`
      throw new AppError('invalid_request', message, { bound: 'items at once', limit: rate.burst })
    }
    try {
      takeFrom(keyId, rate, items - 1)
    } catch (error) {
      // What its request has taken already, or a batch that comes back at the time given would never fit.
      limiter.giveBack(keyId, rate, 1)
      throw error
    }
  }

  /**
   * The key of a caller that was admitted before. `open` if no key is needed, null if it would no longer be admitted.
   */
  async function findStanding({ keyId }: Pick<Caller, 'keyId'>): Promise<KnownKey | 'open' | null> {
    if (keyId === null) return (await presence.check()) ? null : 'open'
    const key = await lookup.find(keyId)
    return key !== null && key.revokedAt === null && !isOver(key) ? key : null
  }

  return {
    ...createAuditTrail({ store, clock, telemetry, nodeId }),
    isOpen: () => !presence.peek(),
    lock: presence.notify,
    chargeItems,
    recognize(authorization) {
      const given = parseKeyToken(BEARER.exec(authorization)?.[1] ?? '')
      const known = given === null ? undefined : remembered.get(given.id)
      return given !== null && known !== undefined && matchesSecret(given, known) ? known.tenant : null
    },
    async identify(authorization, { duringOutage = false } = {}) {
      if (authorization === undefined) return checkOpen()
      const [, token = null] = BEARER.exec(authorization) ?? []
      if (token === null) throw refuse('malformed', 'The header Authorization must be "Bearer drv_…".')
      const given = parseKeyToken(token)
      if (given === null)
        throw refuse('malformed', 'The API key must be the whole token (drv_…). A part of it is missing or wrong.')
      const key = await find(given, duringOutage)
      countRequest(key)
      return callerOf(key)
    },
    isAllowed: async (caller) => (await findStanding(caller)) !== null,
    async readmit(caller) {
      const standing = await findStanding(caller)
      if (standing !== null && standing !== 'open') countRequest(standing)
      return standing !== null
    },
    close: async () => {
      unlisten()
      await use.close()
      await store.close()
    },
  }
}

function toCaller(key: KnownKey): Caller {
  const { id, tenant, name, scopes, signers, chains, rate, maxTxFeeWei } = key
  return { keyId: id, tenant, name, scopes, signers, chains, rate, maxTxFeeWei }
}
