/** What is pushed and not stored as events: confirmations as they grow, and blocks as they are confirmed. */

import type { Block, ConfirmationUpdate } from '../generated/api-types.ts'
import { delay } from '../transport/delay.ts'
import { type CallOptions, spellPath } from '../transport/operation.ts'
import { createOutage } from '../transport/outage.ts'
import type { RetryNotice } from '../transport/transport.ts'
import { type OpenStream, parseData } from './open-stream.ts'
import type { ServerEvent } from './server-events.ts'

export interface LiveOptions extends CallOptions {
  /** How long the service may be unreachable, in a row, before the loop fails. Default: no limit. */
  readonly maxOutageMs?: number
}

export interface ConfirmationOptions extends LiveOptions {
  readonly chainId?: number
  /** Only those of this signer. */
  readonly from?: string
}

export interface BlockStreamOptions extends LiveOptions {
  /** The last block you processed. Default: only blocks confirmed from now on. */
  readonly after?: number
  /** Blocks below this one are no longer available. */
  readonly onGap?: (from: number) => void
}

export interface LivePorts {
  readonly openStream: OpenStream
  onRetry(notice: RetryNotice): void
}

const CONFIRMATIONS = 'GET /v1/events/stream'
const BLOCKS = 'GET /v1/chains/{chainId}/blocks/stream'

export async function* followConfirmations(
  ports: LivePorts,
  { chainId, from, ...options }: ConfirmationOptions,
): AsyncGenerator<ConfirmationUpdate, void> {
  // No event of the history has this type, so that nothing else comes.
  const query = { types: 'confirmations', include: 'confirmations', chainId, from }
  const place = { operation: CONFIRMATIONS, path: () => spellPath('/v1/events/stream', query), lastId: () => null }
  for await (const { event, data } of follow(ports, place, options)) {
    if (event === 'confirmations' && data !== null) {
      yield parseData<ConfirmationUpdate>(data, 'confirmations', CONFIRMATIONS)
    }
  }
}

export async function* followBlocks(
  ports: LivePorts,
  chainId: number,
  { after, onGap = () => {}, ...options }: BlockStreamOptions,
): AsyncGenerator<Block, void> {
  let cursor = after ?? null
  const place = {
    operation: BLOCKS,
    path: () => spellPath(`/v1/chains/${chainId}/blocks/stream`, { after: cursor ?? undefined }),
    lastId: () => cursor,
  }
  for await (const { event, id, data } of follow(ports, place, options)) {
    if (event === 'gap' && data !== null) onGap(parseData<{ from: number }>(data, 'from', BLOCKS).from)
    else if (data === null) cursor = id === null ? cursor : Number(id)
    else if (event === 'block') {
      const block = parseData<Block>(data, 'number', BLOCKS)
      if (cursor !== null && block.number <= cursor) continue
      cursor = block.number
      yield block
    }
  }
}

interface Place {
  readonly operation: string
  path(): string
  lastId(): number | null
}

/** Opens the stream again, whatever ends it, from where its reader is by then. */
async function* follow(
  { openStream, onRetry }: LivePorts,
  { operation, path, lastId }: Place,
  { maxOutageMs = Number.POSITIVE_INFINITY, signal }: LiveOptions,
): AsyncGenerator<ServerEvent, void> {
  const outage = createOutage(maxOutageMs)
  for (;;) {
    try {
      yield* openStream({ operation, path: path(), lastId: lastId(), signal, onAnswer: outage.end })
    } catch (caught) {
      signal?.throwIfAborted()
      const { error, failures, delayMs } = outage.bear(caught)
      onRetry({ operation, error, tries: failures, delayMs })
      await delay(delayMs, signal)
    }
  }
}
