/**
 * The rules of geth's transaction pool (core/txpool/legacypool, 1.17) as far as a sender meets them.
 *
 * What follows an account's count without a hole is pending, the rest queued. In all there is room for globalSlots +
 * globalQueue; beyond that only a better-paid transaction gets in, at the expense of the cheapest. Of the pending ones
 * globalSlots stay: the accounts with the most lose their highest nonces first, down to accountSlots each. Of the queued
 * ones accountQueue stay for each account and globalQueue in all. An account with delegated code has one transaction.
 */

export interface PoolLimits {
  readonly globalSlots: number
  readonly accountSlots: number
  readonly globalQueue: number
  readonly accountQueue: number
}

export interface PoolTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: number
  readonly tip: bigint
}

/** The error texts of geth. With the local tracker (its default) only the permanent ones reach the sender. */
export interface PoolRefusal {
  readonly message: string
  readonly isTemporary: boolean
}

export interface GethPool {
  /** Null: accepted for now. */
  add(tx: PoolTransaction): PoolRefusal | null
  /** The nonce of the account on chain: everything below it is mined. */
  setCount(address: string, count: number): void
  setDelegated(address: string, isDelegated: boolean): void
  pendingCount(address: string): number
  has(hash: string): boolean
  /** The executable ones. */
  pending(): readonly PoolTransaction[]
  queued(): readonly PoolTransaction[]
}

const temporary = (message: string): PoolRefusal => ({ message, isTemporary: true })
const permanent = (message: string): PoolRefusal => ({ message, isTemporary: false })
const PRICE_BUMP_PERCENT = 10n

export function createGethPool(limits: PoolLimits): GethPool {
  const accounts = new Map<string, Map<number, PoolTransaction>>()
  const counts = new Map<string, number>()
  const delegated = new Set<string>()

  const ownOf = (address: string) => accounts.get(address) ?? new Map<number, PoolTransaction>()
  const countOf = (address: string) => counts.get(address) ?? 0
  const all = () => [...accounts.values()].flatMap((own) => [...own.values()])
  const remove = ({ from, nonce }: PoolTransaction) => void accounts.get(from)?.delete(nonce)

  function pendingCount(address: string): number {
    let next = countOf(address)
    while (ownOf(address).has(next)) next++
    return next
  }

  const isPending = (tx: PoolTransaction) => tx.nonce < pendingCount(tx.from)

  function refuse(tx: PoolTransaction): PoolRefusal | null {
    const own = ownOf(tx.from)
    const rival = own.get(tx.nonce)
    if (rival?.hash === tx.hash) return permanent('already known')
    if (tx.nonce < countOf(tx.from)) return permanent('nonce too low')
    if (delegated.has(tx.from) && rival === undefined) {
      if (own.size > 0) return temporary('in-flight transaction limit reached for delegated accounts')
      if (tx.nonce !== pendingCount(tx.from)) return temporary('gapped-nonce tx from delegated accounts')
    }
    if (rival !== undefined && tx.tip * 100n < rival.tip * (100n + PRICE_BUMP_PERCENT))
      return permanent('replacement transaction underpriced')
    return rival === undefined ? makeRoom(tx) : null
  }

  function makeRoom(tx: PoolTransaction): PoolRefusal | null {
    if (all().length < limits.globalSlots + limits.globalQueue) return null
    const cheapest = all().reduce((a, b) => (b.tip < a.tip || (b.tip === a.tip && b.nonce > a.nonce) ? b : a))
    if (tx.tip <= cheapest.tip) return temporary('transaction underpriced')
    if (tx.nonce > pendingCount(tx.from) && isPending(cheapest))
      return temporary('future transaction tries to replace pending')
    remove(cheapest)
    return null
  }

  function truncate(): void {
    const pendingOf = (address: string) => pendingCount(address) - countOf(address)
    for (let total = all().filter(isPending).length; total > limits.globalSlots; total--) {
      const largest = [...accounts.keys()].reduce((a, b) => (pendingOf(b) > pendingOf(a) ? b : a))
      if (pendingOf(largest) <= limits.accountSlots) break
      // Those queued behind it keep waiting, now behind a gap.
      ownOf(largest).delete(pendingCount(largest) - 1)
    }
    for (const own of accounts.values()) {
      const waiting = [...own.values()].filter((tx) => !isPending(tx)).sort((a, b) => a.nonce - b.nonce)
      for (const tx of waiting.slice(limits.accountQueue)) remove(tx)
    }
    const waiting = all().filter((tx) => !isPending(tx))
    for (const tx of waiting.slice(limits.globalQueue)) remove(tx)
  }

  return {
    add: (tx) => {
      const refusal = refuse(tx)
      if (refusal !== null) return refusal
      accounts.set(tx.from, ownOf(tx.from).set(tx.nonce, tx))
      truncate()
      return null
    },
    setCount: (address, count) => {
      counts.set(address, count)
      for (const tx of [...ownOf(address).values()]) if (tx.nonce < count) remove(tx)
      truncate()
    },
    setDelegated: (address, isDelegated) => {
      if (isDelegated) delegated.add(address)
      else delegated.delete(address)
    },
    pendingCount,
    has: (hash) => all().some((tx) => tx.hash === hash),
    pending: () => all().filter(isPending),
    queued: () => all().filter((tx) => !isPending(tx)),
  }
}
