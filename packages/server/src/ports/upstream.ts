/** The nodes of one chain for calls that are forwarded unchanged, and for reading signed bytes from others. */
import type { Address, Hash, Hex } from '../core/hex.ts'

export interface UpstreamRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

export type UpstreamReply =
  | { readonly type: 'result'; readonly result: unknown }
  /** A node's own error, without what could be a secret of the URL that it was asked under. */
  | {
      readonly type: 'error'
      readonly error: { readonly code: number | null; readonly message: string; readonly data: unknown }
    }
  | { readonly type: 'rate_limited'; readonly message: string; readonly retryAfterMs: number | null }
  /** The request never left. */
  | { readonly type: 'unreached'; readonly message: string }
  /** The request may have arrived; the answer is missing or makes no sense. */
  | {
      readonly type: 'lost'
      readonly message: string
      /** The connection was an old one that closed on reuse: most likely the request was never read. */
      readonly stale?: boolean
    }

/** Signed bytes, and the object under which a node shows them until they are mined. */
export interface PendingTransaction {
  readonly hash: Hash
  readonly from: Address
  readonly chainId: number
  readonly object: Readonly<Record<string, unknown>>
}

export interface Upstream {
  readonly chainId: number
  /** To one node, once; a reply for each, in order. Never throws. */
  forward(requests: readonly UpstreamRequest[]): Promise<readonly UpstreamReply[]>
  /** About how long a round trip to the node in use takes, whatever is asked. */
  distanceMs(): number
  /** Null where the bytes are no transaction that can be read. */
  readPending(raw: Hex): Promise<PendingTransaction | null>
  /** Signals that there may be a new head. Only a hint: losing one costs latency. */
  onHeadHint(listener: () => void): () => void
}
