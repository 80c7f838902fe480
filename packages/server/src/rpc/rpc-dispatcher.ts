/**
 * Answers the calls of one message for one chain. Calls of a batch run side by side and are answered in their places;
 * calls for a node go there together, sends are accepted together, in order, and the rest run a few at a time: a
 * thousand lookups in one batch are one caller's work, and must not occupy the whole service.
 */

import { type Caller, hasScope, mayUseChain } from '../core/access/caller.ts'
import { AppError } from '../core/app-error.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Upstream } from '../ports/upstream.ts'
import type { CallerGone, SharedForwarder } from './forwarder.ts'
import { createLocalMethods, type LocalMethod } from './local-methods.ts'
import type { MethodList } from './methods.ts'
import type { NextNonces } from './next-nonces.ts'
import { RPC_CODES, RpcFailure, toRpcFailure } from './rpc-failure.ts'
import { joinAnswers, type RpcCall, type RpcEntry, type RpcMessage, writeFailure, writeResult } from './rpc-message.ts'
import type { RpcReads } from './rpc-reads.ts'
import type { RpcServices } from './rpc-services.ts'
import type { SendTransactions } from './send-transactions.ts'

export interface CallContext {
  readonly caller: Caller
  /** What makes the same message, sent again, the same transactions. */
  readonly idempotencyKey: string | null
  /** Methods that only this connection has; they come first. */
  readonly own: ReadonlyMap<string, LocalMethod>
  readonly gone: CallerGone
}

/** The response as sent on the wire; null if there is nothing to answer. */
export type Dispatch = (message: RpcMessage, context: CallContext) => Promise<string | null>

interface DispatcherPorts extends Pick<RpcServices, 'signers' | 'ownAddresses' | 'recordRefusal' | 'inPieces'> {
  readonly store: Pick<RpcReads, 'findTransactionByHash' | 'listSigners'>
  readonly upstream: Upstream
  readonly forwarder: Pick<SharedForwarder, 'forTenant'>
  readonly nextNonces: NextNonces
  readonly methods: MethodList
  readonly sendTransactions: SendTransactions
  readonly telemetry: Telemetry
}

const SEND = 'eth_sendTransaction'
const SEND_RAW = 'eth_sendRawTransaction'
/** Of one message: a client that asks for more at one time can ask for less. */
const MAX_ANSWER_CHARS = 32 * 1024 * 1024
/** Calls of one message that Drover answers at one time. */
const MAX_LOCAL = 16
/** A message of so many calls is worked on in pieces. */
const LONG = 20

type Settled = PromiseSettledResult<unknown>

export function createRpcDispatcher(ports: DispatcherPorts): Dispatch {
  const { upstream, forwarder, methods, telemetry, inPieces } = ports
  const { chainId } = upstream
  const local = createLocalMethods(ports)

  function findLocal(method: string, { own }: CallContext): LocalMethod | null {
    return own.get(method) ?? local.get(method) ?? null
  }

  function check({ method }: RpcCall, context: CallContext): RpcFailure | null {
    if (!mayUseChain(context.caller, chainId)) {
      return new RpcFailure('unauthorized', `this API key has no access to chain ${chainId}`)
    }
    if (method === SEND) return null
    const refusal = methods.findRefusal(method)
    if (refusal !== null) return new RpcFailure('unsupported_method', `${method} is not available: ${refusal}`)
    if (findLocal(method, context) === null && !methods.isPassedOn(method)) {
      return new RpcFailure('method_not_found', `the method ${method} does not exist or is not available`)
    }
    const scope = method === SEND_RAW ? 'send' : 'read'
    if (hasScope(context.caller, scope)) return null
    return new RpcFailure('unauthorized', `this API key lacks the scope ${scope}`)
  }

  async function run(calls: readonly RpcCall[], context: CallContext, isBatch: boolean): Promise<readonly Settled[]> {
    const answers: Promise<Settled>[] = []
    const sends: number[] = []
    const passedOn: number[] = []
    const ownPlaces: number[] = []
    const tasks: (() => Promise<Settled>)[] = []
    const refusals = await mapEach(context, calls, (call) => check(call, context))
    for (const [place, call] of calls.entries()) {
      const refusal = refusals[place] ?? null
      const found = findLocal(call.method, context)
      if (refusal !== null) answers[place] = Promise.resolve({ status: 'rejected', reason: refusal })
      else if (call.method === SEND) sends.push(place)
      else if (found === null) passedOn.push(place)
      else {
        ownPlaces.push(place)
        tasks.push(() => settle(found(call.params, context.caller)))
      }
    }
    const pick = (places: readonly number[]) => places.flatMap((place) => calls[place] ?? [])
    const own = forwarder.forTenant(context.caller.tenant)
    const requests = pick(passedOn).map(({ method, params }) => ({ method, params }))
    const forwarded = own.forwardEach(requests, context.gone)
    const keyed = pick(sends).map(({ params }, index) => ({ params, requestId: keyOf(context, sends[index], isBatch) }))
    const sent = keyed.length === 0 ? Promise.resolve([]) : ports.sendTransactions(keyed, chainId, context.caller)
    const looked = runSome(tasks, MAX_LOCAL)
    for (const [index, place] of ownPlaces.entries()) answers[place] = looked.then((done) => done[index] ?? UNANSWERED)
    for (const [index, place] of passedOn.entries()) answers[place] = pickAnswer(forwarded, index)
    for (const [index, place] of sends.entries()) answers[place] = pickAnswer(sent, index)
    return Promise.all(answers)
  }

  async function mapEach<T, R>(
    { caller }: CallContext,
    items: readonly T[],
    map: (item: T, index: number) => R,
  ): Promise<readonly R[]> {
    return items.length < LONG ? items.map(map) : await inPieces(caller.tenant, items, map)
  }

  function write(entry: RpcEntry, answer: Settled | undefined): string | null {
    if (entry.type === 'invalid') return writeFailure(entry.id, entry.failure)
    const { id, method } = entry.call
    const failure = answer?.status === 'rejected' ? toRpcFailure(answer.reason) : null
    countCall(method, failure)
    if (id === undefined) return null
    return failure === null
      ? writeResult(id, answer?.status === 'fulfilled' ? answer.value : null)
      : writeFailure(id, failure)
  }

  async function record({ method }: RpcCall, answer: Settled | undefined, { caller }: CallContext): Promise<void> {
    if (answer?.status !== 'rejected' || (method !== SEND && method !== SEND_RAW)) return
    if (toRpcFailure(answer.reason).error.code !== RPC_CODES.unauthorized) return
    await ports.recordRefusal(caller, { operation: method, target: `/rpc/${chainId}` })
  }

  /** Only known names become labels: a caller can invent any number of others. */
  function countCall(method: string, failure: RpcFailure | null): void {
    const isKnown = method === SEND || local.has(method) || methods.isPassedOn(method)
    const outcome = failure === null ? 'result' : 'error'
    telemetry.count('drover_rpc_calls_total', { chainId, method: isKnown ? method : 'other', outcome })
    // The caller sees nothing of a bug, so the log must have everything.
    if (!(failure?.cause instanceof Error) || failure.cause instanceof AppError) return
    telemetry.log('error', 'JSON-RPC call failed', { chainId, method, stack: failure.cause.stack })
  }

  return async ({ entries, isBatch }, context) => {
    const calls = entries.flatMap((entry) => (entry.type === 'call' ? [entry.call] : []))
    const answers = await run(calls, context, isBatch)
    await Promise.all(calls.map((call, index) => record(call, answers[index], context)))
    let next = 0
    const writeNext = (entry: RpcEntry) => write(entry, entry.type === 'call' ? answers[next++] : undefined)
    // What was sent is said without delay.
    const isSent = calls.some(({ method }) => method === SEND || method === SEND_RAW)
    const written = isSent ? entries.map(writeNext) : await mapEach(context, entries, writeNext)
    return join(entries, written, isBatch)
  }
}

async function settle(answer: Promise<unknown>): Promise<Settled> {
  const [settled] = await Promise.allSettled([answer])
  return settled
}

async function pickAnswer(answers: Promise<readonly Settled[]>, index: number): Promise<Settled> {
  const [settled] = await Promise.allSettled([answers])
  if (settled.status === 'rejected') return settled
  return settled.value[index] ?? UNANSWERED
}

const UNANSWERED: Settled = { status: 'rejected', reason: new Error('a call was left without an answer') }

/** They start in order, up to a limit at one time. */
async function runSome<T>(tasks: readonly (() => Promise<T>)[], most: number): Promise<readonly T[]> {
  const done: T[] = []
  const left = tasks.entries()
  const work = async (): Promise<void> => {
    for (const [index, task] of left) done[index] = await task()
  }
  await Promise.all(Array.from({ length: Math.min(most, tasks.length) }, work))
  return done
}

function keyOf({ idempotencyKey }: CallContext, place: number | undefined, isBatch: boolean): string | null {
  return idempotencyKey === null || !isBatch ? idempotencyKey : `${idempotencyKey}:${place}`
}

function join(entries: readonly RpcEntry[], written: readonly (string | null)[], isBatch: boolean): string | null {
  let left = MAX_ANSWER_CHARS
  const kept = written.flatMap((text, place) => {
    if (text === null) return []
    left -= text.length
    if (left >= 0) return [text]
    const entry = entries[place]
    const id = entry?.type === 'call' ? (entry.call.id ?? null) : null
    return [writeFailure(id, new RpcFailure('refused', 'the response is larger than 32 MiB; request less at once'))]
  })
  return joinAnswers(kept, isBatch)
}
