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

export const ENDPOINT_ROLES = [
  'read',
  /** Gets signed transactions of all signers that have no endpoint of their own. */
  'send',
  /** Gets signed transactions of single signers, which go nowhere else. */
  'private',
] as const
export type EndpointRole = (typeof ENDPOINT_ROLES)[number]

/** One that the bytes of a signer may go to. */
export type SendEndpoint = Pick<EndpointReport, 'name' | 'state'>

export interface EndpointReport {
  /** Host and port; with its position where several URLs share them. */
  readonly name: string
  readonly state: EndpointState
  /** In milliseconds since the epoch, as all times here. */
  readonly since: number
  /** Left alone until then; null: it is used. */
  readonly retryAt: number | null
  readonly roles: readonly EndpointRole[]
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
