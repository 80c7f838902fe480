/** Follows `newHeads` over a WebSocket, and connects again for as long as it is wanted. Heads are hints: contents are not read. */
import { getWebSocketRpcClient } from 'viem/utils'
import { backOff } from '../../core/back-off.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { RpcUrl } from '../rpc/rpc-url.ts'
import { parseCount } from '../rpc-values.ts'

export interface HeadSubscriptionOptions {
  readonly chainId: number
  readonly target: RpcUrl
  readonly onHead: () => void
  readonly clock: Clock
  readonly telemetry: Telemetry
}

type SocketClient = Awaited<ReturnType<typeof getWebSocketRpcClient>>

let nextSerial = 1
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 30_000

export function createHeadSubscription(options: HeadSubscriptionOptions): { close(): void } {
  const { chainId, clock, target, telemetry } = options
  let client: SocketClient | null = null
  let failures = 0
  let closed = false
  let isSubscribed = false
  let cancelRetry = () => {}

  function drop(reason: string): void {
    const dropped = client
    client = null
    dropped?.close()
    if (closed) return
    // A closed socket may be the first sign of a node that is down, so check at once.
    if (isSubscribed) options.onHead()
    isSubscribed = false
    telemetry.log('debug', 'head subscription ended', { chainId, host: target.host, reason })
    cancelRetry()
    const delayMs = backOff(++failures, { first: FIRST_RETRY_MS, max: MAX_RETRY_MS })
    cancelRetry = clock.schedule(delayMs, () => void connect())
  }

  async function connect(): Promise<void> {
    try {
      // viem shares one client among all who give the same URL and options, so that one of them closing it would close it
      // for all: the delay, which has no other effect without attempts, makes ours our own. Connecting again is ours too.
      const opened = await getWebSocketRpcClient(target.url.href, { reconnect: { attempts: 0, delay: nextSerial++ } })
      if (closed) return opened.close()
      client = opened
      opened.socket.addEventListener('close', () => client === opened && drop('socket closed'))
      const answer = await opened.requestAsync({ body: { method: 'eth_chainId' } })
      if (parseCount(answer.result) !== chainId) return drop('wrong chain')
      subscribe(opened)
    } catch {
      // The error may quote the URL, so nothing of it is passed on.
      drop('no connection')
    }
  }

  function subscribe(socket: SocketClient): void {
    socket.request({
      body: { method: 'eth_subscribe', params: ['newHeads'] },
      onError: () => client === socket && drop('socket failed'),
      onResponse(response) {
        if (response.error !== undefined) return drop('subscriptions are refused')
        failures = 0
        isSubscribed = true
        // Also for the confirmation itself: heads may have come while there was no subscription.
        options.onHead()
      },
    })
  }

  void connect()
  return {
    close() {
      closed = true
      cancelRetry()
      drop('closed')
    },
  }
}
