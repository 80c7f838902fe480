/** What is known about one RPC endpoint, as it may be shown: never a URL, which may carry credentials. */
export const ENDPOINT_STATES = [
  /** Not asked yet, or to be asked again which chain it serves. */
  'unverified',
  'healthy',
  /** No usable answers; tried again with growing pauses. */
  'failing',
  /** It answered 429, and is given the time that it wants. */
  'rate_limited',
  /** Behind the others: not read from, but still sent to. */
  'lagging',
  /** Claims a head that it cannot show: not read from, but still sent to. */
  'implausible',
  /** It serves another chain: nothing is asked of it or sent to it. */
  'wrong_chain',
] as const
export type EndpointState = (typeof ENDPOINT_STATES)[number]

export interface EndpointReport {
  /** Host and port; with its position where several URLs share them. */
  readonly name: string
  readonly state: EndpointState
  /** In milliseconds since the epoch, as all times here. */
  readonly since: number
  /** Reads go to it. */
  readonly inUse: boolean
  /** The newest block that it reported, and when that was first seen. */
  readonly head: { readonly number: number; readonly seenAt: number } | null
  /** Blocks behind the newest that can be believed; null until its height is known. */
  readonly lagBlocks: number | null
  /** Of the calls of the last minute, from 0 to 1. */
  readonly errorRate: number | null
  readonly latencyMs: number | null
  /** The rate that it was found to allow; null if it never refused. */
  readonly callsPerSecond: number | null
  readonly lastError: { readonly message: string; readonly at: number } | null
}
