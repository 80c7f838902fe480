/** How a node answered the bytes we sent. Outcomes are values: nothing here is an exception. */
export type SendOutcome =
  /** In the pool, by this send or an earlier one. */
  | { readonly type: 'accepted' }
  | { readonly type: 'already_known' }
  /** The account's count is past this nonce: already mined, by our bytes or by a foreign transaction. */
  | { readonly type: 'nonce_too_low'; readonly message: string }
  /** Another transaction with this nonce is in the pool and ours does not outbid it. */
  | { readonly type: 'replacement_underpriced'; readonly message: string }
  /** Below what the pool or the next block asks. */
  | { readonly type: 'underpriced'; readonly message: string }
  | { readonly type: 'insufficient_funds'; readonly message: string }
  /** A nonce below ours is missing at this node. */
  | { readonly type: 'nonce_gap'; readonly message: string }
  | { readonly type: 'pool_full'; readonly message: string }
  | { readonly type: 'rate_limited'; readonly message: string }
  /** Time-out, broken answer, unknown message: the node may or may not have the bytes. Never treated as "not sent". */
  | { readonly type: 'ambiguous'; readonly message: string }
  /** A rule or limit of the node itself, or a temporary one. Another node, or this one later, may accept the bytes. */
  | ({ readonly type: 'refused'; readonly reason: RefuseReason } & Refused)
  /** Against the rules of the chain, so no node could ever accept the bytes, according to the nodes. */
  | ({ readonly type: 'invalid'; readonly reason: InvalidReason } & Refused)

interface Refused {
  readonly message: string
  /** Some of our nodes were unavailable: they may accept what the others refuse. */
  readonly isPartial?: true
}

export const REFUSE_REASONS = [
  'gas_limit',
  'oversized',
  'node_fee_cap',
  'unsupported_type',
  'not_permitted',
  'other',
] as const
export type RefuseReason = (typeof REFUSE_REASONS)[number]

export const INVALID_REASONS = ['gas_too_low', 'fee_fields', 'malformed'] as const
export type InvalidReason = (typeof INVALID_REASONS)[number]

/** The node holds the bytes, in its pool or already in a block. */
export function isHeld(outcome: { readonly type: string }): boolean {
  return outcome.type === 'accepted' || outcome.type === 'already_known'
}
