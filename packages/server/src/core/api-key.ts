/** A key to the API, without its secret: what it opens, and what it may hand on. */
import { formatAmount } from './amount.ts'
import { type Caller, hasScope, type Reach, type Scope } from './caller.ts'

export type KeyId = string

/** Requests in a second over time, and how many may come at once. Counted by each node for itself. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** What a key is made with. */
export interface KeyGrant extends Reach {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: none of its own. */
  readonly rate: Rate | null
  /** The most that one transaction it sends may cost in fees; null: no limit of its own. */
  readonly maxTxFeeWei: bigint | null
  /** Milliseconds; null: never. */
  readonly expiresAt: number | null
}

export interface ApiKey extends KeyGrant {
  readonly id: KeyId
  readonly createdAt: number
  readonly createdBy: string
  /** To the minute or so; null: not yet. */
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
}

/** What the maker of a key holds itself. */
export interface Holding extends Caller {
  readonly rate: Rate | null
  readonly expiresAt: number | null
}

/** The first field in which a key would be more than its maker is, and why; null where it would not. */
export function findExcess(maker: Holding, wanted: KeyGrant): { readonly field: string; readonly why: string } | null {
  const missing = wanted.scopes.find((scope) => !hasScope(maker, scope))
  if (missing !== undefined) return { field: 'scopes', why: `your key does not have the scope ${missing} itself` }
  if (!isWithin(wanted.signers, maker.signers))
    return { field: 'signers', why: 'your key is limited to some signers; name some of these' }
  if (!isWithin(wanted.chains, maker.chains))
    return { field: 'chains', why: 'your key is limited to some chains; name some of these' }
  if (maker.expiresAt !== null && (wanted.expiresAt === null || wanted.expiresAt > maker.expiresAt))
    return { field: 'expiresAt', why: 'your own key expires before that' }
  const { rate, maxTxFeeWei } = maker
  if (maxTxFeeWei !== null && (wanted.maxTxFeeWei === null || wanted.maxTxFeeWei > maxTxFeeWei))
    return { field: 'maxTxFee', why: `your own key may spend ${formatAmount(maxTxFeeWei)} on the fee of a transaction` }
  if (
    rate !== null &&
    (wanted.rate === null || wanted.rate.perSecond > rate.perSecond || wanted.rate.burst > rate.burst)
  )
    return { field: 'rate', why: `your own key has ${rate.perSecond} a second and ${rate.burst} at once` }
  return null
}

/** Everything that the one can see, the other can see too. */
export function isWithinReach(inner: Reach, outer: Reach): boolean {
  return isWithin(inner.signers, outer.signers) && isWithin(inner.chains, outer.chains)
}

function isWithin<T>(inner: readonly T[] | null, outer: readonly T[] | null): boolean {
  return outer === null || inner?.every((item) => outer.includes(item)) === true
}
