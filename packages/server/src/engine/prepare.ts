/**
 * Everything that can be found out about a queued transaction before it takes a nonce: does it revert, how much gas does
 * it need, what shall it offer. A certain failure ends that transaction alone; an uncertain one is tried again later.
 */

import type { FeeMarket, Fees } from '../core/fees.ts'
import type { Policy } from '../core/policy.ts'
import { priceTransaction } from '../core/price.ts'
import type { Queued, SubState, TxError } from '../core/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable } from '../ports/chain.ts'

export type Preparation =
  | { readonly type: 'ready'; readonly tx: Queued; readonly gasLimit: bigint; readonly fees: Fees }
  | { readonly type: 'rejected'; readonly tx: Queued; readonly error: TxError }
  | { readonly type: 'deferred'; readonly tx: Queued; readonly subState: SubState; readonly error: TxError }

export interface PrepareContext {
  readonly policy: Policy
  /** Earlier transactions of the lane are not mined yet, so that the state they leave is not known. */
  readonly predecessorsPending: boolean
}

export async function prepareTransactions(
  chain: Chain,
  queued: readonly Queued[],
  context: PrepareContext,
): Promise<readonly Preparation[]> {
  try {
    const market = await chain.getFeeMarket()
    const estimated = queued.filter(needsEstimate)
    const outcomes = estimated.length > 0 ? await chain.estimate(estimated.map(toCall)) : []
    const byId = new Map(estimated.map((tx, index) => [tx.id, outcomes[index]]))
    return queued.map((tx, index) =>
      prepareOne(tx, byId.get(tx.id), market, {
        ...context,
        // Within one batch, all but the first have a predecessor that is not mined.
        predecessorsPending: context.predecessorsPending || index > 0,
      }),
    )
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    const failure = {
      code: 'chain_unavailable',
      message: 'the chain node does not answer as it should; preparation is tried again',
      reason: error.message,
    }
    return queued.map((tx) => ({ type: 'deferred', tx, subState: 'waiting_for_node', error: failure }))
  }
}

function needsEstimate(tx: Queued): boolean {
  return tx.intent.gasLimit === null || tx.intent.simulate
}

function toCall(tx: Queued): Call {
  const { lane, to, data, value, gasLimit } = tx.intent
  return { from: lane.signer, to, data, value, gasLimit }
}

function prepareOne(
  tx: Queued,
  outcome: CallOutcome | undefined,
  market: FeeMarket,
  context: PrepareContext,
): Preparation {
  const gas = outcome === undefined ? tx.intent.gasLimit : gasFrom(tx, outcome, context)
  if (gas === null) throw new Error('a transaction without a gas limit was not estimated')
  if (typeof gas !== 'bigint') return gas
  const price = priceTransaction(tx.intent, market, context.policy)
  if (price.type === 'priced') return { type: 'ready', tx, gasLimit: gas, fees: price.fees }
  const error = {
    code: 'fee_above_cap',
    message: `the next block asks ${price.neededWei} wei per gas; policy allows ${price.capWei}`,
  }
  return tx.intent.fees === null
    ? { type: 'deferred', tx, subState: 'fee_above_cap', error }
    : {
        type: 'rejected',
        tx,
        error: {
          ...error,
          message: `the requested ${price.neededWei} wei per gas is above the ${price.capWei} that policy allows`,
        },
      }
}

function gasFrom(tx: Queued, outcome: CallOutcome, context: PrepareContext): bigint | Preparation {
  switch (outcome.type) {
    case 'ok':
      return tx.intent.gasLimit ?? (outcome.gas * BigInt(context.policy.gasLimitPercent)) / 100n
    case 'reverted': {
      const error = { code: 'reverted', message: `the call reverts: ${outcome.reason}`, reason: outcome.reason }
      return context.predecessorsPending
        ? { type: 'deferred', tx, subState: 'waiting_for_predecessor', error }
        : { type: 'rejected', tx, error }
    }
    case 'insufficient_funds':
      return {
        type: 'deferred',
        tx,
        subState: 'waiting_for_funds',
        error: {
          code: 'insufficient_funds',
          message: 'the account cannot pay for gas and value',
          reason: outcome.message,
        },
      }
    case 'invalid':
      return { type: 'rejected', tx, error: { code: 'invalid', message: outcome.message } }
    case 'unknown':
      return {
        type: 'deferred',
        tx,
        subState: 'waiting_for_node',
        error: {
          code: 'not_simulated',
          message: 'the chain node could not run the call; preparation is tried again',
          reason: outcome.message,
        },
      }
  }
}
