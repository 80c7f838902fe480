/**
 * Everything that can be found out about a queued transaction before it takes a nonce: whether it reverts, how much gas
 * it needs, what it should offer. A certain failure ends that transaction alone; an uncertain one is tried again later.
 */

import { formatAmount, formatGwei } from '../../core/amount.ts'
import { describeCap, findFeeCap } from '../../core/fees/fee-cap.ts'
import { limitOf } from '../../core/fees/fee-limit.ts'
import { type FeeMarket, type Fees, maxPricePerGas } from '../../core/fees/fees.ts'
import { type Price, priceTransaction } from '../../core/fees/price.ts'
import { findUnmineable } from '../../core/fees/unmineable-price.ts'
import type { Policy } from '../../core/lane/policy.ts'
import type { Approval } from '../../core/rules/approval.ts'
import { isFill, NOOP_GAS } from '../../core/transaction/fill.ts'
import type { Queued, SubState, TxError } from '../../core/transaction/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable, type HeadRef } from '../../ports/chain.ts'
import type { Verdicts } from '../follow/verdicts.ts'

export type Preparation =
  | { readonly type: 'ready'; readonly tx: Queued; readonly gasLimit: bigint; readonly fees: Fees }
  | { readonly type: 'rejected'; readonly tx: Queued; readonly error: TxError }
  | {
      readonly type: 'deferred'
      readonly tx: Queued
      readonly subState: SubState
      readonly error: TxError
      /** The price that must come down before it can continue. */
      readonly waitsFor?: PriceWait
    }
  /** A spending rule does not let it be signed now: it waits, and those behind it go first. */
  | { readonly type: 'held'; readonly tx: Queued; readonly error: TxError; readonly retryAt: number }
  /** A rule asks for an approval that it does not have. */
  | { readonly type: 'unapproved'; readonly tx: Queued; readonly approval: Approval }

/** `market`: the next block must ask no more than this per gas, tip included. `base`: its base fee must not be above it. */
export interface PriceWait {
  readonly of: 'market' | 'base'
  readonly perGasWei: bigint
}

export interface PrepareContext {
  readonly policy: Policy
  /** The chain's cap on the fee of one transaction; null only if an operator set `none`. */
  readonly chainMaxFeeWei: bigint | null
  /** Earlier transactions of the lane are not mined yet, so the state they leave is unknown. */
  readonly predecessorsPending: boolean
  /** The followed head: a failure is certain only there. */
  readonly head: HeadRef | null
  /** Failures that could only be seen at a node's own latest block. */
  readonly verdicts: Verdicts
}

type PreparingChain = Pick<Chain, 'getFeeMarket' | 'estimate'>

export async function prepareTransactions(
  chain: PreparingChain,
  queued: readonly Queued[],
  context: PrepareContext,
): Promise<readonly Preparation[]> {
  try {
    const estimated = queued.filter(needsEstimate)
    const outcomes = estimated.length > 0 ? await chain.estimate(estimated.map(toCall), context.head) : []
    // Last, because estimates may have to wait for their turn, and prices change.
    const market = await chain.getFeeMarket()
    const byId = new Map(estimated.map((tx, index) => [tx.id, outcomes[index]]))
    return queued.map((tx, index) =>
      prepareOne(tx, byId.get(tx.id), market, {
        ...context,
        // Within one batch, all but the first have an unmined predecessor.
        predecessorsPending: context.predecessorsPending || index > 0,
      }),
    )
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const failure = {
      code: 'chain_unavailable',
      message: 'an RPC node does not respond as expected; Drover tries again',
      reason: error.message,
    }
    return queued.map((tx) => ({ type: 'deferred', tx, subState: 'waiting_for_node', error: failure }))
  }
}

function needsEstimate(tx: Queued): boolean {
  return tx.intent.gasLimit === null || tx.intent.simulate
}

function toCall(tx: Queued): Call {
  const { lane, to, data, value, gasLimit, accessList } = tx.intent
  return { from: lane.signer, to, data, value, gasLimit, ...(accessList !== undefined && { accessList }) }
}

function prepareOne(
  tx: Queued,
  outcome: CallOutcome | undefined,
  market: FeeMarket,
  context: PrepareContext,
): Preparation {
  const gasLimit = outcome === undefined ? tx.intent.gasLimit : gasFrom(tx, outcome, context)
  if (gasLimit === null) throw new Error('a transaction without a gas limit was not estimated')
  if (typeof gasLimit !== 'bigint') return gasLimit
  const cap = findFeeCap(tx.intent, gasLimit, context)
  const price = priceTransaction(tx.intent, market, cap)
  if (price.type === 'above_cap') return aboveCap(tx, price, gasLimit, market)
  const { fees } = price
  return neverMined(tx, market) ?? belowBase(tx, { fees, gasLimit }, market) ?? { type: 'ready', tx, gasLimit, fees }
}

/** Such a price would block the queue forever. */
function neverMined(tx: Queued, market: FeeMarket): Preparation | null {
  const message = findUnmineable(tx.intent.fees, market)
  return message === null ? null : { type: 'rejected', tx, error: { code: 'fee_never_mined', message } }
}

/** No block includes it at the caller's offer, and once it has a nonce nothing behind it would be mined either. */
function belowBase(
  tx: Queued,
  { fees, gasLimit }: { readonly fees: Fees; readonly gasLimit: bigint },
  { baseFeePerGas }: FeeMarket,
): Preparation | null {
  const offered = maxPricePerGas(fees)
  if (tx.intent.fees === null || baseFeePerGas === null || offered >= baseFeePerGas) return null
  const message = `the next block asks ${formatGwei(baseFeePerGas, offered)} per gas, but the request offers at most ${formatGwei(offered, baseFeePerGas)}`
  const limit = limitOf({ perGasWei: offered, feeWei: null, source: 'request' }, baseFeePerGas, gasLimit)
  return {
    type: 'deferred',
    tx,
    subState: 'fee_above_cap',
    error: { code: 'fee_below_base', message, limit },
    waitsFor: { of: 'base', perGasWei: offered },
  }
}

function waitForFunds(tx: Queued, reason: string): Preparation {
  const error = { code: 'insufficient_funds', message: 'the account cannot pay for gas and value', reason }
  return { type: 'deferred', tx, subState: 'waiting_for_funds', error }
}

function aboveCap(
  tx: Queued,
  { neededWei, cap }: Extract<Price, { type: 'above_cap' }>,
  gasLimit: bigint,
  { saidBy }: FeeMarket,
): Preparation {
  const cost = `${formatGwei(neededWei, cap.perGasWei)} per gas (${formatAmount(neededWei * gasLimit)} for ${gasLimit} gas`
  const allowed = `but the limit is ${describeCap(cap, neededWei)}`
  if (tx.intent.fees !== null) {
    const error = { code: 'fee_above_cap', message: `the request offers ${cost}), ${allowed}` }
    return { type: 'rejected', tx, error }
  }
  const said = saidBy === undefined ? '' : `, according to ${saidBy.join(' and ')}`
  // If even the smallest transaction would be above the cap, the market is the reason, not this transaction: all wait.
  // Not if the cap is that of an API key: transactions of other keys are not bound by it and must not wait behind it.
  const isAlone = cap.source === 'key' || (cap.feeWei !== null && neededWei * NOOP_GAS <= cap.feeWei)
  const code = isAlone ? 'tx_fee_above_cap' : 'fee_above_cap'
  const limit = limitOf(cap, neededWei, gasLimit)
  const error = { code, message: `the next block asks ${cost}${said}), ${allowed}`, limit }
  const waitsFor = { of: 'market', perGasWei: cap.perGasWei } as const
  return { type: 'deferred', tx, subState: 'fee_above_cap', error, waitsFor }
}

function gasFrom(tx: Queued, outcome: CallOutcome, context: PrepareContext): bigint | Preparation {
  // A fill uses up its nonce even if the account's own code refuses the call.
  if (isFill(tx.intent) && (outcome.type === 'reverted' || outcome.type === 'invalid')) return NOOP_GAS
  switch (outcome.type) {
    case 'ok':
      return tx.intent.gasLimit ?? (outcome.gas * BigInt(context.policy.gasLimitPercent)) / 100n
    case 'reverted': {
      const { reason, data } = outcome
      const revertData = data === null ? {} : { revertData: data }
      const error = { code: 'reverted', message: `the call reverts: ${reason}`, reason, ...revertData }
      return failUnlessCured(tx, error, outcome, context)
    }
    case 'insufficient_funds':
      return waitForFunds(tx, outcome.message)
    case 'invalid':
      return failUnlessCured(tx, { code: 'invalid', message: outcome.message }, outcome, context)
    case 'unknown':
      return {
        type: 'deferred',
        tx,
        subState: 'waiting_for_node',
        error: {
          code: 'not_simulated',
          message: 'no RPC node could run the call; Drover tries again',
          reason: outcome.message,
        },
      }
  }
}

/**
 * A failure is certain only if nothing before it can still change the state. If no node could be queried at the
 * followed head, one node's latest block is not enough either: the same failure must be seen at two heads.
 */
function failUnlessCured(
  tx: Queued,
  error: TxError,
  { atLatest = false }: { readonly atLatest?: boolean },
  { predecessorsPending, head, verdicts }: PrepareContext,
): Preparation {
  if (predecessorsPending) return { type: 'deferred', tx, subState: 'waiting_for_predecessor', error }
  if (!atLatest || verdicts.isRepeated(tx.id, error.message, head)) return { type: 'rejected', tx, error }
  const message = 'it would fail, but the RPC node may be behind; Drover tries again at the next block'
  return {
    type: 'deferred',
    tx,
    subState: 'waiting_for_node',
    error: { code: 'not_simulated', message, reason: error.message },
  }
}
