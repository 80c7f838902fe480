/** The JSON-RPC endpoint as a whole: one dispatcher for each chain, the way to find it, and what is bounded over all of them. */

import type { Caller } from '../core/access/caller.ts'
import { AppError } from '../core/app-error.ts'
import { createTenantPool, type Tenant } from '../engine/tenants/tenant-pool.ts'
import { type CallerGone, createForwarder, type SharedForwarder } from './forwarder.ts'
import type { LocalMethod } from './local-methods.ts'
import { createMethodList } from './methods.ts'
import { createNextNonces, type NextNonces } from './next-nonces.ts'
import { createNonceTurns } from './nonce-turns.ts'
import { createRpcDispatcher, type Dispatch } from './rpc-dispatcher.ts'
import { RpcFailure, toRpcFailure } from './rpc-failure.ts'
import { parseMessage, type RpcMessage, writeFailure, writeRefusal } from './rpc-message.ts'
import { createRpcReads } from './rpc-reads.ts'
import type { RpcServices } from './rpc-services.ts'
import { createSendTransactions } from './send-transactions.ts'
import { createHeadFeed } from './socket/head-feed.ts'
import { createPendingFeed } from './socket/pending-feed.ts'
import type { SubscriptionSources } from './socket/subscriptions.ts'

export interface RpcRequestContext {
  /** The last part of the path; null if omitted. */
  readonly chain: string | null
  readonly caller: Caller
  readonly idempotencyKey: string | null
  readonly own: ReadonlyMap<string, LocalMethod>
  /** Says whether the caller still waits for the answer. */
  readonly gone: CallerGone
}

export interface JsonRpcServer {
  /** The response as sent on the wire; null if there is nothing to answer. Never throws. */
  answer(text: string, context: RpcRequestContext): Promise<string | null>
  /** The answer to a message that is not looked into. */
  refuse(text: string, failure: RpcFailure): string | null
  /** Throws RpcFailure that says which chains there are. */
  resolveChain(chain: string | null): number
  /** What subscriptions of this tenant follow. */
  sourcesOf(chainId: number, tenant: Tenant): SubscriptionSources
  /** Calls that are waiting for their turn are rejected. */
  close(): void
}

interface ChainPart {
  readonly dispatch: Dispatch
  readonly nextNonces: NextNonces
  readonly feeds: Pick<SubscriptionSources, 'heads' | 'pending' | 'clock'>
  readonly forwarder: SharedForwarder
}

/** Messages that may be worked on at one time; sends that wait for their hash count too. */
const MAX_MESSAGES = 2_000
/** Of all WebSockets. Each new block and pending transaction is sent to each of them. */
const MAX_SUBSCRIPTIONS = 2_000

export function createJsonRpcServer(services: RpcServices): JsonRpcServer {
  const { upstreams, clock, telemetry, settings } = services
  const turns = createNonceTurns({ ...services, readNext: (lane) => getChain(lane.chainId).nextNonces.read(lane) })
  const sendTransactions = createSendTransactions({
    ...services,
    turns,
    holdTimeoutMs: settings.holdTimeoutMs,
  })
  const store = createRpcReads(services.store, services.reads)
  const methods = createMethodList(settings.allowedMethods)
  const chains = new Map(
    upstreams.map((upstream): [number, ChainPart] => {
      const pace = services.paceOf?.(upstream.chainId)
      const forwarder = createForwarder(upstream, { ...settings, clock, ...(pace !== undefined && { pace }) })
      const nextNonces = createNextNonces({ ...services, store, forwarder })
      const chain = { upstream, forwarder, nextNonces }
      const dispatch = createRpcDispatcher({ ...services, ...chain, store, methods, sendTransactions })
      const heads = createHeadFeed({ upstream, forwarder, telemetry })
      const pending = createPendingFeed({ forwarder, clock })
      return [upstream.chainId, { dispatch, nextNonces, forwarder, feeds: { heads, pending, clock } }]
    }),
  )
  const running = createTenantPool({
    what: 'JSON-RPC messages',
    size: MAX_MESSAGES,
    sharePercent: settings.sharePercent,
    retryAfterMs: 1_000,
    whenFull: () => new AppError('overloaded', `${MAX_MESSAGES} messages are already being processed; try again later`),
  })

  const subscriptions = createTenantPool({
    what: 'subscriptions',
    size: MAX_SUBSCRIPTIONS,
    sharePercent: settings.sharePercent,
    retryAfterMs: 1_000,
    whenFull: () => new AppError('overloaded', `${MAX_SUBSCRIPTIONS} subscriptions are open already; try again later`),
  })

  function resolveChain(chain: string | null): number {
    const ids = [...chains.keys()]
    const [only, ...others] = ids
    if (chain === null) {
      if (only !== undefined && others.length === 0) return only
      throw new RpcFailure('invalid_request', `name the chain in the path: ${ids.map((id) => `/rpc/${id}`).join(', ')}`)
    }
    const found = ids.find((id) => String(id) === chain)
    if (found !== undefined) return found
    const message = `unknown chain ${JSON.stringify(chain.slice(0, 20))}; this service follows ${ids.join(', ')}`
    throw new RpcFailure('invalid_request', message)
  }

  function getChain(chainId: number): ChainPart {
    const found = chains.get(chainId)
    if (found === undefined) throw new Error(`unknown chain ${chainId}`)
    return found
  }

  async function takePlace<T>({ caller }: RpcRequestContext, calls: number, run: () => Promise<T>): Promise<T> {
    services.chargeItems(caller, calls)
    const leave = running.enter(caller.tenant)
    try {
      return await run()
    } finally {
      leave()
    }
  }

  return {
    resolveChain,
    close: turns.close,
    refuse: (text, failure) => {
      const message = parse(text)
      return message instanceof RpcFailure ? writeFailure(null, message) : writeRefusal(message, failure)
    },
    sourcesOf: (chainId, tenant) => {
      const { feeds, forwarder } = getChain(chainId)
      return { ...feeds, forwarder: forwarder.forTenant(tenant), enter: () => subscriptions.enter(tenant) }
    },
    answer: async (text, context) => {
      const message = parse(text)
      if (message instanceof RpcFailure) return writeFailure(null, message)
      try {
        const chain = getChain(resolveChain(context.chain))
        return await takePlace(context, message.entries.length, () => chain.dispatch(message, context))
      } catch (error) {
        if (!(error instanceof RpcFailure || error instanceof AppError))
          telemetry.log('error', 'JSON-RPC message failed', { error })
        return writeRefusal(message, toRpcFailure(error))
      }
    },
  }
}

function parse(text: string): RpcMessage | RpcFailure {
  try {
    return parseMessage(text)
  } catch (error) {
    return toRpcFailure(error)
  }
}
