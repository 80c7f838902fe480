/** An API key without its secret: what it gives access to, and what it may pass on to new keys. */
import { formatAmount } from '../amount.ts'
import { type Caller, hasScope, type Rate, type Reach, reachesAll, type Scope } from './caller.ts'

export type KeyId = string

/** What a key is created with. */
export interface KeyGrant extends Reach {
  readonly name: string
  /** The tenant that owns the key. Keys of one tenant share its part of every pool, and its request ids. */
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Null: none of its own. */
  readonly rate: Rate | null
  /** The most that one transaction it sends may cost in fees; null: no limit of its own. */
  readonly maxTxFeeWei: bigint | null
  /** Milliseconds; null: never. */
  readonly expiresAt: number | null
}

/** As requested: an omitted tenant is chosen. */
export type KeyRequest = Omit<KeyGrant, 'tenant'> & { readonly tenant?: string | null }

export interface ApiKey extends KeyGrant {
  readonly id: KeyId
  readonly createdAt: number
  readonly createdBy: string
  /** To the minute or so; null: not yet. */
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
}

/** What the creator of a key has itself. */
export interface Holding extends Caller {
  readonly expiresAt: number | null
}

/** The first field in which a key would exceed its creator, and why; null if none does. */
export function findExcess(maker: Holding, wanted: KeyGrant): { readonly field: string; readonly why: string } | null {
  const missing = wanted.scopes.find((scope) => !hasScope(maker, scope))
  if (missing !== undefined) return { field: 'scopes', why: `your own key lacks the scope ${missing}` }
  if (!isWithin(wanted.signers, maker.signers))
    return { field: 'signers', why: 'your own key is limited to some signers, so choose from those' }
  if (!isWithin(wanted.chains, maker.chains))
    return { field: 'chains', why: 'your own key is limited to some chains, so choose from those' }
  if (!reachesAll(maker) && wanted.tenant !== maker.tenant)
    return {
      field: 'tenant',
      why: 'your own key is limited to some signers or chains, so it can only create keys for its own tenant',
    }
  if (maker.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > maker.expiresAt))
    return { field: 'expiresAt', why: 'your own key expires earlier' }
  const { rate, maxTxFeeWei } = maker
  if (maxTxFeeWei !== null && (wanted.maxTxFeeWei === null || wanted.maxTxFeeWei > maxTxFeeWei))
    return {
      field: 'maxTxFee',
      why: `your own key may spend at most ${formatAmount(maxTxFeeWei)} in fees on a transaction`,
    }
  if (
    rate !== null &&
    (wanted.rate === null || wanted.rate.perSecond > rate.perSecond || wanted.rate.burst > rate.burst)
  )
    return { field: 'rate', why: `your own key is limited to ${rate.perSecond} per second and ${rate.burst} at once` }
  return null
}

/** A new key is its own tenant, unless its creator is limited: then it belongs to the creator's tenant. */
export function chooseTenant(maker: Caller, { name, tenant }: KeyRequest): string {
  return tenant ?? (reachesAll(maker) ? name : (maker.tenant ?? name))
}

/** Everything the inner reach can see, the outer one can see too. */
export function isWithinReach(inner: Reach, outer: Reach): boolean {
  return isWithin(inner.signers, outer.signers) && isWithin(inner.chains, outer.chains)
}

function isWithin<T>(inner: readonly T[] | null, outer: readonly T[] | null): boolean {
  return outer === null || inner?.every((item) => outer.includes(item)) === true
}
