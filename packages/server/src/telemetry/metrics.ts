/** Every metric, once: what is registered, what `/metrics` serves and what the reference page says. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** As Prometheus spells them; the code may say `chainId` for `chain_id`. */
  readonly labels: Readonly<Record<string, string>>
  readonly buckets?: readonly number[]
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LONG_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1_200, 3_600, 14_400]
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]

const NODE_LABEL = 'the node: host and port, with its position where several URLs share them'

export const METRICS = {
  drover_leases_total: {
    kind: 'counter',
    help: 'Leases by what came of asking for them.',
    labels: {
      result:
        'taken, taken_over (from a node that let it run out), not_owner (another was first), renewed, lost, released',
    },
  },
  drover_lanes_owned: { kind: 'gauge', help: 'Lanes that this node holds the lease of.', labels: {} },
  drover_lanes_of_others: { kind: 'gauge', help: 'Lanes that other nodes hold the lease of.', labels: {} },
  drover_fence_refusals_total: {
    kind: 'counter',
    help: 'What a node did not do because a lease was gone, or might have been.',
    labels: { operation: 'write, broadcast' },
  },
  drover_receipt_lookups_total: {
    kind: 'counter',
    help: 'Look-ups of receipts by hash.',
    labels: { result: 'found, missing, failed' },
  },
  drover_broadcasts_total: {
    kind: 'counter',
    help: 'Signed transactions sent, by what the nodes answered.',
    labels: { outcome: 'accepted, already_known, nonce_too_low, ambiguous and the other send outcomes' },
  },
  drover_resubmits_total: {
    kind: 'counter',
    help: 'Transactions sent again with the same bytes.',
    labels: { result: 'sent, withheld' },
  },
  drover_replacements_total: {
    kind: 'counter',
    help: 'Sent transactions that were signed again: at a higher price, or empty in their place.',
    labels: { reason: 'wish, refused, price', kind: 'bump, cancel, noop' },
  },
  drover_window_size: {
    kind: 'gauge',
    help: 'How many unmined transactions a lane may have out, as the node that runs it found.',
    labels: { chain_id: 'the chain', signer: 'the account' },
  },
  drover_window_changes_total: {
    kind: 'counter',
    help: 'Changes of how far lanes send ahead, by reason.',
    labels: { reason: 'start, all_kept, at_limit, pool_full, dropped, nonce_gap, delegated' },
  },
  drover_fee_suspicions_total: {
    kind: 'counter',
    help: 'Answers of a node about fees that were far above the others and therefore not used.',
    labels: {
      chain_id: 'the chain',
      host: 'the node',
      source: 'eth_feeHistory, eth_maxPriorityFeePerGas, eth_gasPrice, baseFeePerGas',
    },
  },
  drover_signer_balance_wei: {
    kind: 'gauge',
    help: 'Balance of an account, as last read by the node that runs its lane.',
    labels: { chain_id: 'the chain', signer: 'the account' },
  },
  drover_nonce_drift: {
    kind: 'gauge',
    help: "How far a lane's cursor is off: below zero the chain is past it, above zero nonces under it are nobody's.",
    labels: { chain_id: 'the chain', signer: 'the account' },
  },
  drover_signer_runway_transactions: {
    kind: 'gauge',
    help: 'How many more transactions the balance of an account pays for, at what they cost lately.',
    labels: { chain_id: 'the chain', signer: 'the account' },
  },
  drover_lane_problem: {
    kind: 'gauge',
    help: '1 while a signer has this problem, 0 once it is over, as the node that runs its lane sees it.',
    labels: {
      chain_id: 'the chain',
      signer: 'the account',
      problem: 'foreign_nonce, stuck, out_of_funds, fee_above_cap, blocked_by_reservation, balance_low',
    },
  },
  drover_nodes: {
    kind: 'gauge',
    help: 'Nodes of the cluster, as this one last heard of them.',
    labels: { state: 'live; silent: no heartbeat for too long' },
  },
  drover_database_up: { kind: 'gauge', help: '1 while the database answers, 0 while it does not.', labels: {} },
  drover_finality_total: {
    kind: 'counter',
    help: 'Steps towards finality.',
    labels: { result: 'included, reorged, confirmed, failed, cancelled' },
  },
  drover_preconfirmations_total: {
    kind: 'counter',
    help: 'Transactions that a node showed in a block in the making, and those that no block then held.',
    labels: { result: 'seen, lost' },
  },
  drover_transitions_total: {
    kind: 'counter',
    help: 'Stored changes of state.',
    labels: { from: 'the state before', to: 'the state after' },
  },
  drover_time_to_inclusion_seconds: {
    kind: 'histogram',
    help: 'Time from acceptance to the first block that held the transaction.',
    labels: { chain_id: 'the chain' },
    buckets: LONG_SECONDS,
  },
  drover_time_to_finality_seconds: {
    kind: 'histogram',
    help: 'Time from acceptance to finality.',
    labels: { chain_id: 'the chain' },
    buckets: LONG_SECONDS,
  },
  drover_reservations_total: {
    kind: 'counter',
    help: 'What this node did to nonces that are lent to callers.',
    labels: { event: 'reservation.granted, reservation.expired and the like' },
  },
  drover_alarms_total: {
    kind: 'counter',
    help: 'Transactions that got stuck, and reserved nonces that hold up a signer: each needs somebody to look at it.',
    labels: { cause: 'why it is stuck; reservation_unknown_hash and the like for reserved nonces' },
  },
  drover_stuck_decisions_total: {
    kind: 'counter',
    help: 'Decisions about transactions that cannot advance.',
    labels: { action: 'wait, retry, bump, cancel, resolve', cause: 'why it is stuck' },
  },
  drover_transactions_accepted_total: {
    kind: 'counter',
    help: 'Requests for a transaction, by answer.',
    labels: { result: 'accepted, existing, or the error code' },
  },
  drover_queue_depth: {
    kind: 'gauge',
    help: 'Items waiting inside this node.',
    labels: { queue: 'intake, writer, blocks, receipts', chain_id: 'the chain, for blocks and receipts' },
  },
  drover_flush_size: {
    kind: 'histogram',
    help: 'Items written together.',
    labels: { queue: 'intake, writer' },
    buckets: SIZES,
  },
  drover_flush_seconds: {
    kind: 'histogram',
    help: 'Time that one write of collected items took.',
    labels: { queue: 'intake, writer' },
    buckets: SECONDS,
  },
  drover_rpc_requests_total: {
    kind: 'counter',
    help: 'JSON-RPC calls to the nodes; each call of a batch counts.',
    labels: {
      chain_id: 'the chain',
      host: NODE_LABEL,
      method: 'the JSON-RPC method; forwarded for what is passed on for others',
      outcome: 'result, error, rate_limited, lost, unreached',
    },
  },
  drover_rpc_request_seconds: {
    kind: 'histogram',
    help: 'Time that one HTTP request to a node took.',
    labels: { host: NODE_LABEL },
    buckets: SECONDS,
  },
  drover_rpc_endpoint_up: {
    kind: 'gauge',
    help: '1 while a node is used, 0 while it is left out.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_head: {
    kind: 'gauge',
    help: 'Newest block that a node told of.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_lag_blocks: {
    kind: 'gauge',
    help: 'Blocks that a node is behind the newest one that can be believed.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_calls_per_second: {
    kind: 'gauge',
    help: 'Rate that a node was found to allow; 0 where it never answered 429.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_wrong_chain_total: {
    kind: 'counter',
    help: 'Times that a node was found to serve another chain, and barred.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_calls_total: {
    kind: 'counter',
    help: 'JSON-RPC calls that clients made to this node; each call of a batch counts.',
    labels: {
      chain_id: 'the chain',
      method: 'the JSON-RPC method; other for those that do not exist here',
      outcome: 'result, error',
    },
  },
  drover_rpc_sockets: { kind: 'gauge', help: 'WebSocket connections to the JSON-RPC endpoint.', labels: {} },
  drover_head_block: { kind: 'gauge', help: 'Newest block that was followed.', labels: { chain_id: 'the chain' } },
  drover_chain_state: {
    kind: 'gauge',
    help: '1 for the state that a chain is in, as this node sees it, 0 for the others.',
    labels: { chain_id: 'the chain', state: 'starting, ok, standing, rewound, unreachable' },
  },
  drover_head_age_seconds: {
    kind: 'gauge',
    help: 'Age of the newest block that was followed, by its own timestamp.',
    labels: { chain_id: 'the chain' },
  },
  drover_reorgs_total: {
    kind: 'counter',
    help: 'Times that followed blocks left the canonical chain.',
    labels: { chain_id: 'the chain' },
  },
  drover_final_reorgs_total: {
    kind: 'counter',
    help: 'Times that blocks which were final, or that held a transaction which was, left the chain. Somebody has to look.',
    labels: { chain_id: 'the chain' },
  },
  drover_gaps_total: {
    kind: 'counter',
    help: 'Times that blocks may have been missed, so that transactions were looked up by hash instead.',
    labels: { part: 'follower, tracker' },
  },
  drover_lane_reloads_total: {
    kind: 'counter',
    help: 'Times that a lane was loaded again because its write was not taken.',
    labels: { cause: 'stale, refused' },
  },
  drover_store_round_trips_total: {
    kind: 'counter',
    help: 'Round trips to the database.',
    labels: { operation: 'the statement, other for those made as needed', outcome: 'ok, unavailable, failed' },
  },
  drover_webhooks_owned: { kind: 'gauge', help: 'Webhooks that this node delivers to.', labels: {} },
  drover_webhook_deliveries_total: {
    kind: 'counter',
    help: 'Attempts to deliver to webhooks, by what came of them.',
    labels: { result: 'delivered, retry, failed' },
  },
  drover_webhook_attempt_seconds: {
    kind: 'histogram',
    help: 'Time that one attempt to deliver took.',
    labels: {},
    buckets: SECONDS,
  },
  drover_webhook_lag_seconds: {
    kind: 'gauge',
    help: 'How long what was handed out last had waited, the longest of it.',
    labels: {},
  },
  drover_webhooks_disabled_total: {
    kind: 'counter',
    help: 'Webhooks that were switched off by the service itself: each needs somebody to look at it.',
    labels: { reason: 'gone, failing' },
  },
  drover_event_streams: { kind: 'gauge', help: 'Event streams that this node serves now.', labels: {} },
  drover_event_streams_total: {
    kind: 'counter',
    help: 'Event streams that were asked for, and how they ended.',
    labels: { result: 'opened, refused; closed, stalled, forbidden, failed' },
  },
  drover_waiting_requests: { kind: 'gauge', help: 'Requests that wait for a transaction to come further.', labels: {} },
  drover_access_refused_total: {
    kind: 'counter',
    help: 'Requests that were refused for who sent them.',
    labels: { reason: 'missing, malformed, unknown, revoked, expired, rate, scope' },
  },
  drover_http_requests_total: {
    kind: 'counter',
    help: 'HTTP requests served.',
    labels: { method: 'the HTTP method', route: "the route's pattern", status: 'the status code' },
  },
  drover_http_request_seconds: {
    kind: 'histogram',
    help: 'Time to serve an HTTP request.',
    labels: { route: "the route's pattern" },
    buckets: SECONDS,
  },
} as const satisfies Readonly<Record<string, Metric>>

export type MetricName = keyof typeof METRICS

/** Fields have the names that the code gives them, and so are few. */
const labels = new Map<string, string>()

export function labelOf(field: string): string {
  const known = labels.get(field)
  if (known !== undefined) return known
  const label = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  labels.set(field, label)
  return label
}

export function findMetric(name: string): Metric | null {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : null
}
