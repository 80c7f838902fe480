/**
 * `eth_sendTransaction`, managed: the intent is accepted like any other, and the answer is the hash of its first bytes,
 * which are durable by then and may not have left yet. Several in one batch are stored together and take their nonces
 * in the order of the batch. Once accepted, a transaction continues whatever this call returns, so an error in place of
 * the hash names the transaction.
 */
import { actorOf, type Caller, hasScope, mayUse } from '../core/access/caller.ts'
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane/lane.ts'
import { isTerminal, type Transaction } from '../core/transaction/transaction.ts'
import type { AcceptBatch } from '../engine/accept/accept-batch.ts'
import type { AcceptRequest } from '../engine/accept/accept-request.ts'
import type { TransactionWaits, WaitPlace } from '../engine/wait/transaction-waits.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { ExactRequest, NonceTurns } from './nonce-turns.ts'
import { RpcFailure, spellRevert, spellShortage, toSendFailure } from './rpc-failure.ts'
import type { RpcServices, WaitReason } from './rpc-services.ts'
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
  /** For calls that name their nonce. */
  readonly turns: Pick<NonceTurns, 'accept'>
  readonly signers: RpcServices['signers']
  readonly waits: Pick<TransactionWaits, 'enter'>
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly explain: RpcServices['explain']
  /** How long a call waits for its hash. */
  readonly holdTimeoutMs: number
}

type Parsed = { readonly request: AcceptRequest; readonly place: WaitPlace }
type AcceptedOne = { readonly transaction: Transaction }

/** A client that disconnects does not tell us; the time is short enough. */
const NEVER = new AbortController().signal

/** The caller has waited long enough: it gets its answer without the reason if that takes longer. */
const EXPLAIN_MS = 1_000

export function createSendTransactions(ports: SendPorts): SendTransactions {
  const { acceptBatch, turns, signers, waits, clock, telemetry, holdTimeoutMs } = ports

  async function finish(acceptance: Promise<AcceptedOne>, place: WaitPlace, caller: Caller): Promise<Hash> {
    const startedAt = clock.monotonic()
    const accepted = await acceptance.catch((error: unknown) => {
      throw toSendFailure(error)
    })
    // A call that was held until its turn has the rest of its time.
    const timeoutMs = Math.max(1, holdTimeoutMs - (clock.monotonic() - startedAt))
    const wait = { stage: 'signed', timeoutMs, signal: NEVER } as const
    const { transaction: tx, outcome } = await place.until(accepted.transaction, wait)
    const hash = tx.attempts[0]?.hash
    if (hash !== undefined) return hash
    if (isTerminal(tx)) throw describeEnd(tx)
    if (outcome === 'stopping') throw stillWaiting(tx, 'this node is stopping', null)
    throw stillWaiting(tx, `it was not signed within ${holdTimeoutMs} ms`, await findReason(tx, caller))
  }

  /** Null if it cannot be told now: the caller needs the id of its transaction in any case. */
  async function findReason(tx: Transaction, caller: Caller): Promise<WaitReason | null> {
    let cancel = (): void => {}
    const late = new Promise<null>((resolve) => {
      cancel = clock.schedule(EXPLAIN_MS, () => resolve(null))
    })
    const reason = ports.explain(tx, caller).catch((error: unknown) => {
      telemetry.log('warn', 'could not explain a transaction', { transactionId: tx.id, error })
      return null
    })
    try {
      return await Promise.race([reason, late])
    } finally {
      cancel()
    }
  }

  /** Those without a nonce of their own are stored together; the others when it is their turn. */
  function accept(requests: readonly AcceptRequest[], chainId: number): readonly Promise<AcceptedOne>[] {
    const laneOf = ({ from }: AcceptRequest): Lane => ({ chainId, signer: from })
    // Nobody's nonces are counted for an account that is no signer; it is refused as such.
    const takesTurn = (request: AcceptRequest): request is ExactRequest =>
      request.exactNonce !== undefined && signers.peek(laneOf(request)) !== null
    const plain = requests.filter((request) => !takesTurn(request))
    const together = plain.length === 0 ? Promise.resolve([]) : acceptBatch(plain)
    return requests.map((request) =>
      takesTurn(request)
        ? turns.accept(request, laneOf(request), holdTimeoutMs)
        : together.then((answers) => unwrap(answers[plain.indexOf(request)])),
    )
  }

  return async (calls, chainId, caller) => {
    // A waiting slot is taken first: otherwise a transaction could be stored for a caller that cannot get its hash.
    const parsed = calls.map((call) =>
      settle((): Parsed => ({ request: parse(call, chainId, caller), place: waits.enter('send', caller.tenant) })),
    )
    const valid = parsed.flatMap((item) => (item.status === 'fulfilled' ? [item.value] : []))
    try {
      const acceptances = accept(
        valid.map(({ request }) => request),
        chainId,
      )
      const hashes = parsed.map((item) => {
        if (item.status === 'rejected') return Promise.reject(item.reason)
        const acceptance = acceptances[valid.indexOf(item.value)]
        if (acceptance === undefined) throw new Error('a request was left without an answer')
        return finish(acceptance, item.value.place, caller)
      })
      return await Promise.allSettled<Promise<Hash>[]>(hashes)
    } finally {
      for (const { place } of valid) place.leave()
    }
  }
}

function unwrap(answer: PromiseSettledResult<AcceptedOne> | undefined): AcceptedOne {
  if (answer === undefined) throw new Error('a request was left without an answer')
  if (answer.status === 'rejected') throw answer.reason
  return answer.value
}

function settle<T>(run: () => T): PromiseSettledResult<T> {
  try {
    return { status: 'fulfilled', value: run() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

function parse({ params, requestId }: SendCall, chainId: number, caller: Caller): AcceptRequest {
  if (!hasScope(caller, 'send')) throw new RpcFailure('unauthorized', 'this API key lacks the scope send')
  const request = parseTransactionParams(params, chainId, requestId)
  if (!mayUse(caller, { chainId, signer: request.from })) {
    throw new RpcFailure('unauthorized', `this API key may not use ${request.from} on chain ${chainId}`)
  }
  if (caller.keyId === null) return request
  const { keyId, tenant, maxTxFeeWei: maxFeeWei } = caller
  return { ...request, by: actorOf(caller), tenant, maxFeeWei, keyId }
}

function stillWaiting(tx: Transaction, why: string, reason: WaitReason | null): RpcFailure {
  const spelled = reason?.cause === 'waiting_for_funds' ? spellShortage(reason.summary) : reason?.summary
  const because = spelled === undefined ? '.' : `: ${spelled}`
  const message = `transaction ${tx.id} was accepted and continues, but ${why}${because} Do not send it again. Follow it at /v1/transactions/${tx.id}`
  return new RpcFailure('still_waiting', message, {
    transactionId: tx.id,
    state: tx.state,
    subState: tx.subState,
    ...(reason !== null && { cause: reason.cause, reason: spelled }),
  })
}

/** It ended before it was signed: refused by the last look before a nonce is taken, cancelled, or too late. */
function describeEnd(tx: Transaction): RpcFailure {
  const data = { transactionId: tx.id, state: tx.state }
  const { error } = tx
  if (error?.code === 'reverted') {
    return new RpcFailure('reverted', spellRevert(error.reason ?? ''), error.revertData ?? data)
  }
  // Their words are those of nodes, which libraries match from the start.
  if (error !== null && NODE_WORDS.has(error.code)) return new RpcFailure('refused', error.message, data)
  return new RpcFailure('refused', `transaction ${tx.id} is ${tx.state}: ${error?.message ?? tx.subState}`, data)
}

const NODE_WORDS: ReadonlySet<string> = new Set(['nonce_too_low', 'nonce_too_high', 'fee_never_mined'])
