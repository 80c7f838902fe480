/**
 * `eth_subscribe` and `eth_unsubscribe` of one connection. Notifications are held back until the client has the
 * subscription id, because otherwise it could not match them.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../ports/clock.ts'
import type { Forwarder } from '../forwarder.ts'
import type { LocalMethod } from '../local-methods.ts'
import { RpcFailure } from '../rpc-failure.ts'
import type { HeadFeed } from './head-feed.ts'
import { followLogs, parseLogFilter } from './log-subscription.ts'
import type { PendingFeed } from './pending-feed.ts'

export interface SubscriptionSources {
  readonly heads: HeadFeed
  readonly pending: PendingFeed
  readonly forwarder: Forwarder
  /** Takes one of the tenant's places. Throws AppError. */
  enter(): () => void
  readonly clock: Pick<Clock, 'schedule'>
}

/** The methods for one message; `release` is to be called when its answer was sent and the ids in it are known. */
export interface MessageMethods {
  readonly methods: ReadonlyMap<string, LocalMethod>
  release(): void
}

export interface Subscriptions {
  begin(): MessageMethods
  close(): void
}

interface Connection {
  send(text: string): void
  /** A subscription can no longer continue without a gap. */
  fail(reason: string): void
}

const MAX_SUBSCRIPTIONS = 100
const KINDS = 'newHeads, logs, newPendingTransactions or syncing'

export function createSubscriptions(sources: SubscriptionSources, connection: Connection): Subscriptions {
  const open = new Map<string, () => void>()
  /** What those have told whose id is not known to the client yet. */
  const held = new Map<string, string[]>()
  let isClosed = false

  function push(subscription: string, result: unknown): void {
    const params = { subscription, result }
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })
    const early = held.get(subscription)
    if (early === undefined) connection.send(text)
    else early.push(text)
  }

  function start(id: string, kind: unknown, options: unknown): () => void {
    switch (kind) {
      case 'newHeads':
        return sources.heads.listen(({ added }) => {
          for (const head of added) push(id, head)
        })
      case 'logs':
        return followLogs({ ...sources, feed: sources.heads }, parseLogFilter(options), {
          log: (log) => push(id, log),
          lost: () => connection.fail('logs could not be read for too long'),
        })
      case 'newPendingTransactions':
        if (options === true)
          throw new RpcFailure('invalid_params', 'only the hashes of pending transactions are available')
        return sources.pending.listen((hash) => push(id, hash))
      case 'syncing':
        push(id, false)
        return () => {}
      default:
        throw new RpcFailure('invalid_params', `the first parameter must be ${KINDS}`)
    }
  }

  async function subscribe(params: readonly unknown[]): Promise<string> {
    // If the client leaves during the call, the listener would stay until the service stops.
    if (isClosed) throw new RpcFailure('refused', 'the connection is closed')
    if (open.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcFailure('limit_exceeded', `a connection may have at most ${MAX_SUBSCRIPTIONS} subscriptions`)
    }
    const id = `0x${randomBytes(16).toString('hex')}`
    const leave = sources.enter()
    held.set(id, [])
    try {
      const stop = start(id, params[0], params[1])
      open.set(id, () => {
        stop()
        leave()
      })
      return id
    } catch (error) {
      held.delete(id)
      leave()
      throw error
    }
  }

  function release(id: string): void {
    const early = held.get(id) ?? []
    held.delete(id)
    for (const text of early) connection.send(text)
  }

  async function unsubscribe([id]: readonly unknown[]): Promise<boolean> {
    const stop = typeof id === 'string' ? open.get(id) : undefined
    if (stop === undefined) throw new RpcFailure('refused', 'subscription not found')
    stop()
    return open.delete(String(id))
  }

  return {
    begin: () => {
      const made: string[] = []
      return {
        methods: new Map<string, LocalMethod>([
          [
            'eth_subscribe',
            async (params) => {
              const id = await subscribe(params)
              made.push(id)
              return id
            },
          ],
          ['eth_unsubscribe', unsubscribe],
        ]),
        release: () => {
          for (const id of made) release(id)
        },
      }
    },
    close: () => {
      isClosed = true
      for (const stop of open.values()) stop()
      open.clear()
    },
  }
}
