/**
 * New heads of one chain for all subscribers, built from any node's answers: subscriptions work with nodes that do not
 * support them, and survive a switch to another node.
 *
 * While there are listeners, each hint of a new head triggers one check. From the newest block it walks back by parent
 * hash to a block that was already sent, so no block is skipped, and a reorg shows as removed blocks. After a gap
 * longer than the window the feed restarts from the head, like a subscription on any node.
 */
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Upstream } from '../../ports/upstream.ts'
import type { Forwarder } from '../forwarder.ts'

/** A block as the node gave it, without its transactions. */
export interface RawHead {
  readonly hash: string
  readonly parentHash: string
  readonly number: string
  readonly [field: string]: unknown
}

export interface HeadUpdate {
  /** No longer part of the chain, newest first. */
  readonly removed: readonly RawHead[]
  /** Oldest first. */
  readonly added: readonly RawHead[]
}

export interface HeadFeed {
  listen(listener: (update: HeadUpdate) => void): () => void
}

interface FeedPorts {
  readonly upstream: Pick<Upstream, 'chainId' | 'onHeadHint'>
  readonly forwarder: Forwarder
  readonly telemetry: Telemetry
}

export const HEAD_WINDOW = 64

export function createHeadFeed({ upstream, forwarder, telemetry }: FeedPorts): HeadFeed {
  const listeners = new Set<(update: HeadUpdate) => void>()
  let window: readonly RawHead[] = []
  let isLooking = false
  let lookAgain = false
  let unsubscribe = (): void => {}

  async function look(): Promise<void> {
    lookAgain = true
    if (isLooking) return
    isLooking = true
    while (lookAgain && listeners.size > 0) {
      lookAgain = false
      // The next hint checks again. Nothing is lost until then, because the walk goes back to what was sent.
      await lookOnce().catch((error: unknown) => {
        telemetry.log('debug', 'could not read heads', { chainId: upstream.chainId, error: String(error) })
      })
    }
    isLooking = false
  }

  async function lookOnce(): Promise<void> {
    const latest = await readBlock('eth_getBlockByNumber', 'latest')
    if (latest === null || window.some(({ hash }) => hash === latest.hash)) return
    const { kept, added } = window.length === 0 ? { kept: [], added: [latest] } : await walkBack(latest)
    const isFirst = window.length === 0
    const removed = window.slice(kept.length).reverse()
    window = [...kept, ...added].slice(-HEAD_WINDOW)
    if (isFirst) return
    for (const listener of [...listeners]) listener({ removed, added })
  }

  async function walkBack(latest: RawHead): Promise<{ kept: readonly RawHead[]; added: readonly RawHead[] }> {
    const places = new Map(window.map(({ hash }, place) => [hash, place]))
    const lowest = Number(window[0]?.number)
    const added = [latest]
    for (let block = latest; added.length < HEAD_WINDOW; ) {
      const place = places.get(block.parentHash)
      if (place !== undefined) return { kept: window.slice(0, place + 1), added: added.reverse() }
      // Nothing can be found below what was sent: the chain forked before the subscription began.
      if (Number(block.number) <= lowest) return { kept: [], added: added.reverse() }
      const parent = await readBlock('eth_getBlockByHash', block.parentHash)
      // The chain moved under the walk: the next look starts over.
      if (parent === null) throw new Error('the node does not have the parent of its own block')
      added.push(parent)
      block = parent
    }
    return { kept: [], added: [latest] }
  }

  async function readBlock(method: string, which: string): Promise<RawHead | null> {
    const block = await forwarder.forward({ method, params: [which, false] })
    if (!isHead(block)) return null
    const { transactions: _transactions, uncles: _uncles, withdrawals: _withdrawals, size: _size, ...head } = block
    return head as unknown as RawHead
  }

  return {
    listen(listener) {
      const entry = (update: HeadUpdate): void => listener(update)
      listeners.add(entry)
      if (listeners.size === 1) {
        window = []
        unsubscribe = upstream.onHeadHint(() => void look())
        void look()
      }
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) unsubscribe()
      }
    },
  }
}

function isHead(block: unknown): block is RawHead {
  if (typeof block !== 'object' || block === null) return false
  const { hash, parentHash, number } = block as Readonly<Record<string, unknown>>
  return typeof hash === 'string' && typeof parentHash === 'string' && typeof number === 'string'
}
