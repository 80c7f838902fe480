/**
 * `eth_sendTransaction`, managed: the intent is accepted like any other, and the answer is the hash of its first bytes,
 * which are durable by then and may not have left yet. Several in one batch are stored together and take their nonces in
 * the order of the batch. Once accepted, a transaction goes on whatever this call answers; so whatever keeps the hash
 * away names the transaction.
 */
import { actorOf, type Caller, hasScope, mayUse } from '../core/caller.ts'
import type { Hash } from '../core/hex.ts'
import { isTerminal, type Transaction } from '../core/transaction.ts'
import type { AcceptBatch } from '../engine/accept-batch.ts'
import type { AcceptRequest } from '../engine/accept-request.ts'
import type { TransactionWaits, WaitPlace } from '../engine/transaction-waits.ts'
import { RpcFailure, spellRevert, toSendFailure } from './rpc-failure.ts'
import { parseTransactionParams } from './transaction-params.ts'

export interface SendCall {
  readonly params: readonly unknown[]
  readonly requestId: string | null
}

/** An answer for each, in order. */
export type SendTransactions = (
  calls: readonly SendCall[],
  chainId: number,
  caller: Caller,
) => Promise<readonly PromiseSettledResult<Hash>[]>

interface SendPorts {
  readonly acceptBatch: AcceptBatch
  readonly waits: Pick<TransactionWaits, 'enter'>
  /** How long a call waits for its hash. */
  readonly holdTimeoutMs: number
}

type Parsed = { readonly request: AcceptRequest; readonly place: WaitPlace }
type AcceptedOne = PromiseSettledResult<{ readonly transaction: Transaction }>

/** Who has gone away does not tell us so; the time is short enough. */
const NEVER = new AbortController().signal

export function createSendTransactions({ acceptBatch, waits, holdTimeoutMs }: SendPorts): SendTransactions {
  async function finish(accepted: AcceptedOne | undefined, place: WaitPlace): Promise<Hash> {
    if (accepted === undefined) throw new Error('a request was left without an answer')
    if (accepted.status === 'rejected') throw toSendFailure(accepted.reason)
    const wait = { stage: 'signed', timeoutMs: holdTimeoutMs, signal: NEVER } as const
    const { transaction: tx, outcome } = await place.until(accepted.value.transaction, wait)
    const hash = tx.attempts[0]?.hash
    if (hash !== undefined) return hash
    if (isTerminal(tx)) throw describeEnd(tx)
    throw stillWaiting(tx, outcome === 'stopping' ? 'this node stops' : `it was not signed within ${holdTimeoutMs} ms`)
  }

  return async (calls, chainId, caller) => {
    // A place to wait is taken first: what is stored for somebody who could not be told its hash would be lost on them.
    const parsed = calls.map((call) =>
      settle((): Parsed => ({ request: parse(call, chainId, caller), place: waits.enter('send') })),
    )
    const valid = parsed.flatMap((item) => (item.status === 'fulfilled' ? [item.value] : []))
    try {
      const accepted = await acceptBatch(valid.map(({ request }) => request))
      let next = 0
      const hashes = parsed.map((item) =>
        item.status === 'rejected' ? Promise.reject(item.reason) : finish(accepted[next++], item.value.place),
      )
      return await Promise.allSettled<Promise<Hash>[]>(hashes)
    } finally {
      for (const { place } of valid) place.leave()
    }
  }
}

function settle<T>(run: () => T): PromiseSettledResult<T> {
  try {
    return { status: 'fulfilled', value: run() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

function parse({ params, requestId }: SendCall, chainId: number, caller: Caller): AcceptRequest {
  if (!hasScope(caller, 'send'))
    throw new RpcFailure('unauthorized', 'this API key may not send: it lacks the scope send')
  const request = parseTransactionParams(params, chainId, requestId)
  if (!mayUse(caller, { chainId, signer: request.from })) {
    throw new RpcFailure('unauthorized', `this API key may not use ${request.from} on chain ${chainId}`)
  }
  return caller.keyId === null ? request : { ...request, by: actorOf(caller), maxFeeWei: caller.maxTxFeeWei }
}

function stillWaiting(tx: Transaction, why: string): RpcFailure {
  const message = `transaction ${tx.id} was accepted and goes on, but ${why}; do not send it again, follow it under /v1/transactions/${tx.id}`
  return new RpcFailure('still_waiting', message, { transactionId: tx.id, state: tx.state, subState: tx.subState })
}

/** It ended before it was signed: refused by the last look before a nonce is taken, cancelled, or too late. */
function describeEnd(tx: Transaction): RpcFailure {
  const data = { transactionId: tx.id, state: tx.state }
  if (tx.error?.code === 'reverted') return new RpcFailure('reverted', spellRevert(tx.error.reason ?? ''), data)
  return new RpcFailure('refused', `transaction ${tx.id} is ${tx.state}: ${tx.error?.message ?? tx.subState}`, data)
}
