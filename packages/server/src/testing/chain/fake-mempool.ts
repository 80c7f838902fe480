/** The fake chain's pool: one transaction per sender and nonce, replaced only by a better-paid one, gaps kept waiting. */

import type { DecodedTransaction } from '../../chain/decode-transaction.ts'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { type Fees, maxPricePerGas } from '../../core/fees/fees.ts'
import type { Address, Hash } from '../../core/hex.ts'
import type { FakeAccount } from './fake-account.ts'

export interface FakeMempoolRules {
  readonly chainId: number
  readonly blockGasLimit: bigint
  /** Both fee fields have to grow by this much, in percent. */
  readonly replacementPercent: bigint
  readonly acceptsGaps: boolean
  readonly maxPerAccount: number
  /** Like geth with its local tracker: what has no place is answered as if it had been taken. */
  readonly hidesRefusals: boolean
  /** Takes the very next nonce of an account and no other. */
  readonly takesOnlyNext: boolean
  readonly minFeePerGas: bigint
}

export interface FakeMempool {
  add(tx: DecodedTransaction, account: FakeAccount): SendOutcome
  list(): readonly DecodedTransaction[]
  find(hash: Hash): DecodedTransaction | null
  /** First nonce from this one on that is not in the pool. */
  nextNonce(address: Address, from: number): number
  /** The executable ones in the order a miner takes them: best tip first, then oldest, each sender's in nonce order. */
  inMiningOrder(nonceOf: (address: Address) => number, baseFee: bigint): readonly DecodedTransaction[]
  remove(tx: DecodedTransaction): void
  /** Forgets everything of this sender below this nonce. */
  prune(address: Address, nonce: number): void
  clear(): void
}

const MIN_GAS = 21_000n

export function createFakeMempool(rules: FakeMempoolRules): FakeMempool {
  const senders = new Map<Address, Map<number, DecodedTransaction>>()
  const known = new Map<Hash, DecodedTransaction>()

  function put(tx: DecodedTransaction): void {
    const own = senders.get(tx.from) ?? new Map<number, DecodedTransaction>()
    const replaced = own.get(tx.nonce)
    if (replaced !== undefined) known.delete(replaced.hash)
    senders.set(tx.from, own.set(tx.nonce, tx))
    known.set(tx.hash, tx)
  }

  function remove(tx: DecodedTransaction): void {
    if (!known.delete(tx.hash)) return
    senders.get(tx.from)?.delete(tx.nonce)
  }

  function nextNonce(address: Address, from: number): number {
    let next = from
    while (senders.get(address)?.has(next)) next++
    return next
  }

  function add(tx: DecodedTransaction, account: FakeAccount): SendOutcome {
    if (known.has(tx.hash)) return { type: 'already_known' }
    const refusal = refuseByItself(tx, account, rules) ?? refuseByPool(tx, account)
    if (refusal !== null) return rules.hidesRefusals && refusal.type === 'pool_full' ? { type: 'accepted' } : refusal
    put(tx)
    return { type: 'accepted' }
  }

  function refuseByPool(tx: DecodedTransaction, account: FakeAccount): SendOutcome | null {
    const own = senders.get(tx.from)
    const rival = own?.get(tx.nonce)
    if (rival !== undefined)
      return outbids(tx.fees, rival.fees, rules.replacementPercent)
        ? null
        : { type: 'replacement_underpriced', message: 'replacement transaction underpriced' }
    if ((own?.size ?? 0) >= rules.maxPerAccount) return { type: 'pool_full', message: 'account limit exceeded' }
    if (rules.takesOnlyNext && tx.nonce > account.nonce) return { type: 'nonce_gap', message: 'nonce too high' }
    if (!rules.acceptsGaps && nextNonce(tx.from, account.nonce) < tx.nonce)
      return { type: 'nonce_gap', message: 'nonce too high' }
    return null
  }

  return {
    add,
    remove,
    nextNonce,
    list: () => [...known.values()],
    find: (hash) => known.get(hash) ?? null,
    inMiningOrder: (nonceOf, baseFee) => sortForMining(senders, [...known.values()], nonceOf, baseFee),
    prune(address, nonce) {
      for (const tx of [...(senders.get(address)?.values() ?? [])]) if (tx.nonce < nonce) remove(tx)
    },
    clear() {
      senders.clear()
      known.clear()
    },
  }
}

function refuseByItself(tx: DecodedTransaction, account: FakeAccount, rules: FakeMempoolRules): SendOutcome | null {
  const { fees } = tx
  if (tx.chainId !== rules.chainId) return { type: 'ambiguous', message: 'invalid chain id for signer' }
  if (tx.nonce < account.nonce) return { type: 'nonce_too_low', message: 'nonce too low' }
  if (tx.gasLimit < MIN_GAS) return { type: 'invalid', reason: 'gas_too_low', message: 'intrinsic gas too low' }
  if (tx.gasLimit > rules.blockGasLimit)
    return { type: 'refused', reason: 'gas_limit', message: 'exceeds block gas limit' }
  if (fees.type === 'eip1559' && fees.maxPriorityFeePerGas > fees.maxFeePerGas)
    return { type: 'invalid', reason: 'fee_fields', message: 'tip higher than fee cap' }
  if (maxPricePerGas(fees) < rules.minFeePerGas) return { type: 'underpriced', message: 'transaction underpriced' }
  if (tx.value + tx.gasLimit * maxPricePerGas(fees) > account.balance)
    return { type: 'insufficient_funds', message: 'insufficient funds for gas * price + value' }
  return null
}

function outbids(fees: Fees, rival: Fees, percent: bigint): boolean {
  const beats = (offer: bigint, other: bigint) => offer * 100n >= other * (100n + percent) && offer > other
  return beats(maxPricePerGas(fees), maxPricePerGas(rival)) && beats(tipCap(fees), tipCap(rival))
}

function tipCap(fees: Fees): bigint {
  return fees.type === 'eip1559' ? fees.maxPriorityFeePerGas : fees.gasPrice
}

export function effectiveTip(fees: Fees, baseFee: bigint): bigint {
  const room = maxPricePerGas(fees) - baseFee
  const cap = tipCap(fees)
  if (cap > room) return room
  return cap
}

function sortForMining(
  senders: ReadonlyMap<Address, ReadonlyMap<number, DecodedTransaction>>,
  arrived: readonly DecodedTransaction[],
  nonceOf: (address: Address) => number,
  baseFee: bigint,
): readonly DecodedTransaction[] {
  const age = new Map(arrived.map((tx, index) => [tx.hash, index]))
  const payable = (tx: DecodedTransaction | undefined) =>
    tx !== undefined && effectiveTip(tx.fees, baseFee) >= 0n ? [tx] : []
  let heads = [...senders].flatMap(([address, own]) => payable(own.get(nonceOf(address))))
  const order: DecodedTransaction[] = []
  while (heads.length > 0) {
    const best = heads.reduce((a, b) => (ranksBefore(b, a, baseFee, age) ? b : a))
    order.push(best)
    const next = payable(senders.get(best.from)?.get(best.nonce + 1))
    heads = [...heads.filter((tx) => tx !== best), ...next]
  }
  return order
}

function ranksBefore(
  a: DecodedTransaction,
  b: DecodedTransaction,
  baseFee: bigint,
  age: ReadonlyMap<Hash, number>,
): boolean {
  const [tipA, tipB] = [effectiveTip(a.fees, baseFee), effectiveTip(b.fees, baseFee)]
  return tipA === tipB ? (age.get(a.hash) ?? 0) < (age.get(b.hash) ?? 0) : tipA > tipB
}
