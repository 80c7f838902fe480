/** Every metric, once: what is registered, what `/metrics` serves and what the reference page says. */
import type { Fold } from './lane-gauges.ts'

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** As Prometheus spells them; the code may say `chainId` for `chain_id`. */
  readonly labels: Readonly<Record<string, string>>
  readonly buckets?: readonly number[]
  /** A gauge of a lane, with the labels chain_id and signer: how the lanes past the limit become one. */
  readonly lanes?: Fold
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LONG_SECONDS = [0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1_200, 3_600, 14_400]
const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]

const LANE_LABELS = { chain_id: 'the chain', signer: 'the account; others for lanes past `metricsMaxLanes`' }
const NODE_LABEL = 'the RPC node: host and port, plus the position if several URLs share them'

export const METRICS = {
  drover_leases_total: {
    kind: 'counter',
    help: 'Lease operations by result.',
    labels: {
      result:
        'taken, taken_over (from another node whose lease expired), not_owner (another node was first), renewed, lost, released',
    },
  },
  drover_lanes_owned: { kind: 'gauge', help: 'Lanes whose lease this node holds.', labels: {} },
  drover_lanes_of_others: { kind: 'gauge', help: 'Lanes whose lease other nodes hold.', labels: {} },
  drover_fence_refusals_total: {
    kind: 'counter',
    help: 'Writes and broadcasts refused because the lease was lost or might have been lost.',
    labels: { operation: 'write, broadcast, timers' },
  },
  drover_receipt_lookups_total: {
    kind: 'counter',
    help: 'Receipt lookups by hash.',
    labels: { result: 'found, missing, failed' },
  },
  drover_broadcasts_total: {
    kind: 'counter',
    help: 'Signed transactions sent, by answer of the RPC nodes.',
    labels: { outcome: 'accepted, already_known, nonce_too_low, ambiguous and the other send outcomes' },
  },
  drover_resubmits_total: {
    kind: 'counter',
    help: 'Transactions resent with the same bytes.',
    labels: { result: 'sent, withheld' },
  },
  drover_replacements_total: {
    kind: 'counter',
    help: 'Sent transactions that were replaced: at a higher price, or by an empty transaction.',
    labels: { reason: 'requested, refused, price', kind: 'bump, cancel, noop' },
  },
  drover_lane_cycles_total: {
    kind: 'counter',
    help: 'Cycles of lanes: each decides, stores and acts once. A lane with nothing to do makes none.',
    labels: {},
  },
  drover_window_size: {
    kind: 'gauge',
    help: 'How many unmined transactions a lane may have, as found by the node that runs it.',
    labels: LANE_LABELS,
    lanes: 'sum',
  },
  drover_window_changes_total: {
    kind: 'counter',
    help: 'Changes to how many transactions lanes send ahead, by reason.',
    labels: { reason: 'start, all_kept, at_limit, pool_full, dropped, nonce_gap, delegated' },
  },
  drover_fee_suspicions_total: {
    kind: 'counter',
    help: 'Fee answers of an RPC node that Drover ignored because they were far above those of the others.',
    labels: {
      chain_id: 'the chain',
      host: 'the node',
      source: 'eth_feeHistory, eth_maxPriorityFeePerGas, eth_gasPrice, baseFeePerGas',
    },
  },
  drover_gas_oracle_total: {
    kind: 'counter',
    help: 'Prices asked of the gas oracle: used, or not because it failed or was too far from the RPC nodes.',
    labels: { chain_id: 'the chain', result: 'used, failed, refused' },
  },
  drover_lane_queued: {
    kind: 'gauge',
    help: 'Transactions of a lane that wait for a nonce, as last counted.',
    labels: LANE_LABELS,
    lanes: 'sum',
  },
  drover_lane_in_flight: {
    kind: 'gauge',
    help: 'Transactions of a lane that have a nonce and wait for a block.',
    labels: LANE_LABELS,
    lanes: 'sum',
  },
  drover_lane_unfinal: {
    kind: 'gauge',
    help: 'Transactions of a lane that are in a block and wait for finality.',
    labels: LANE_LABELS,
    lanes: 'sum',
  },
  drover_lane_stuck: {
    kind: 'gauge',
    help: 'Transactions of a lane that are STUCK. Each needs a person to look at it.',
    labels: LANE_LABELS,
    lanes: 'sum',
  },
  drover_lane_oldest_unmined_seconds: {
    kind: 'gauge',
    help: 'How long the oldest unmined transaction of a lane has been waiting since it was accepted, queued ones included. 0: none waits.',
    labels: LANE_LABELS,
    lanes: 'max',
  },
  drover_signer_balance_wei: {
    kind: 'gauge',
    help: 'Balance of a signer, as last read by the node that runs its lane.',
    labels: LANE_LABELS,
    lanes: 'min',
  },
  drover_nonce_drift: {
    kind: 'gauge',
    help: 'How far the next nonce of a lane is off. Negative: the chain is ahead. Positive: lower nonces are neither used nor reserved.',
    labels: LANE_LABELS,
    lanes: 'furthest',
  },
  drover_signer_runway_transactions: {
    kind: 'gauge',
    help: 'How many more transactions the balance of a signer pays for, at their recent cost.',
    labels: LANE_LABELS,
    lanes: 'min',
  },
  drover_key_store_up: {
    kind: 'gauge',
    help: '1 if a key store of this node responds, 0 if it does not, or if some of its keys cannot be used.',
    labels: { source: 'environment, keystore, mnemonic, database, vault, remote, aws_kms, google_kms' },
  },
  drover_signatures_total: {
    kind: 'counter',
    help: 'Signatures, by key store.',
    labels: {
      source: 'environment, keystore, mnemonic, database, vault, remote, aws_kms, google_kms',
      result: 'signed, failed',
    },
  },
  drover_lane_problem: {
    kind: 'gauge',
    help: '1 while a signer has this problem, 0 once it is solved, as seen by the node that runs its lane. For others: how many have it.',
    labels: {
      ...LANE_LABELS,
      problem:
        'key_unavailable, foreign_nonce, stuck, out_of_funds, fee_above_cap, blocked_by_reservation, balance_low',
    },
    lanes: 'sum',
  },
  drover_nodes: {
    kind: 'gauge',
    help: 'Nodes of the cluster, as seen by this node.',
    labels: { state: 'live, silent (no heartbeat for too long)' },
  },
  drover_database_up: { kind: 'gauge', help: '1 while the database responds, 0 while it does not.', labels: {} },
  drover_finality_total: {
    kind: 'counter',
    help: 'Transactions by step towards finality.',
    labels: { result: 'included, reorged, confirmed, failed, cancelled' },
  },
  drover_fees_wei_total: {
    kind: 'counter',
    help: 'Fees paid for final transactions, in wei.',
    labels: { chain_id: 'the chain', result: 'confirmed, failed, cancelled' },
  },
  drover_preconfirmations_total: {
    kind: 'counter',
    help: 'Transactions preconfirmed in the block being built, and those that no block then included.',
    labels: { result: 'seen, lost' },
  },
  drover_transitions_total: {
    kind: 'counter',
    help: 'Stored state changes.',
    labels: { from: 'the state before', to: 'the state after' },
  },
  drover_time_to_inclusion_seconds: {
    kind: 'histogram',
    help: 'Time from acceptance to the first block that included the transaction.',
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
    help: 'What this node did with reserved nonces.',
    labels: { event: 'reservation.granted, reservation.expired and the like' },
  },
  drover_alarms_total: {
    kind: 'counter',
    help: 'Transactions that got stuck and reserved nonces that block a signer. Each needs a person to look at it.',
    labels: { cause: 'why it is stuck; for reserved nonces reservation_unknown_hash and similar' },
  },
  drover_stuck_decisions_total: {
    kind: 'counter',
    help: 'Decisions about stuck transactions.',
    labels: { action: 'wait, retry, bump, cancel, resolve', cause: 'why it is stuck' },
  },
  drover_transactions_accepted_total: {
    kind: 'counter',
    help: 'Transaction requests by result.',
    labels: { result: 'accepted, existing, or the error code' },
  },
  drover_rule_refusals_total: {
    kind: 'counter',
    help: 'Transactions that a spending rule refused or held, or would have in report mode.',
    labels: { rule: 'the rule, e.g. value.perDay', mode: 'enforce, report', where: 'acceptance, signing' },
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
    help: 'Duration of one batched write.',
    labels: { queue: 'intake, writer' },
    buckets: SECONDS,
  },
  drover_rpc_requests_total: {
    kind: 'counter',
    help: 'JSON-RPC calls to the RPC nodes. Each call of a batch counts.',
    labels: {
      chain_id: 'the chain',
      host: NODE_LABEL,
      method: 'the JSON-RPC method; forwarded for calls of clients',
      outcome: 'result, error, rate_limited, lost, unreached',
    },
  },
  drover_rpc_request_seconds: {
    kind: 'histogram',
    help: 'Duration of one HTTP request to an RPC node.',
    labels: { host: NODE_LABEL },
    buckets: SECONDS,
  },
  drover_rpc_endpoint_up: {
    kind: 'gauge',
    help: '1 while an RPC node is used, 0 while it is not.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_head: {
    kind: 'gauge',
    help: 'Newest block that an RPC node reported.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_lag_blocks: {
    kind: 'gauge',
    help: 'How many blocks an RPC node is behind the newest plausible block.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_endpoint_calls_per_second: {
    kind: 'gauge',
    help: 'Rate limit observed for an RPC node. 0 if it never answered 429.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_wrong_chain_total: {
    kind: 'counter',
    help: 'How often an RPC node was found to serve another chain and was excluded.',
    labels: { chain_id: 'the chain', host: NODE_LABEL },
  },
  drover_rpc_calls_total: {
    kind: 'counter',
    help: 'JSON-RPC calls that clients made to this node. Each call of a batch counts.',
    labels: {
      chain_id: 'the chain',
      method: 'the JSON-RPC method; other for unknown methods',
      outcome: 'result, error',
    },
  },
  drover_rpc_sockets: { kind: 'gauge', help: 'Open WebSocket connections to the JSON-RPC endpoint.', labels: {} },
  drover_connections_refused_total: {
    kind: 'counter',
    help: 'Connections that Drover closed because too many new ones of the same caller were waiting to begin, or too many requests were waiting on one.',
    labels: {},
  },
  drover_unread_answers_total: {
    kind: 'counter',
    help: 'Connections that Drover ended because their clients left too many bytes unread (maxBodyMemory).',
    labels: { kind: 'http, websocket' },
  },
  drover_head_block: {
    kind: 'gauge',
    help: 'Newest block that this node processed.',
    labels: { chain_id: 'the chain' },
  },
  drover_base_fee_wei: {
    kind: 'gauge',
    help: 'Base fee per gas of the newest block that this node processed. Absent on chains without one.',
    labels: { chain_id: 'the chain' },
  },
  drover_chain_state: {
    kind: 'gauge',
    help: '1 for the current state of a chain as this node sees it, 0 for the other states.',
    labels: { chain_id: 'the chain', state: 'starting, ok, standing, rewound, unreachable' },
  },
  drover_head_age_seconds: {
    kind: 'gauge',
    help: 'Age of the newest block that this node processed, by its timestamp.',
    labels: { chain_id: 'the chain' },
  },
  drover_reorgs_total: {
    kind: 'counter',
    help: 'Reorgs of blocks that this node had processed.',
    labels: { chain_id: 'the chain' },
  },
  drover_final_reorgs_total: {
    kind: 'counter',
    help: 'Reorgs of final blocks, or of blocks with a final transaction. Each needs a person to look at it.',
    labels: { chain_id: 'the chain' },
  },
  drover_gaps_total: {
    kind: 'counter',
    help: 'How often blocks may have been missed, so that Drover looked up transactions by hash instead.',
    labels: { part: 'follower, tracker' },
  },
  drover_lane_reloads_total: {
    kind: 'counter',
    help: 'How often a lane was reloaded because its write was refused.',
    labels: { cause: 'stale, refused' },
  },
  drover_store_round_trips_total: {
    kind: 'counter',
    help: 'Round trips to the database.',
    labels: { operation: 'the statement; other for statements built on demand', outcome: 'ok, unavailable, failed' },
  },
  drover_retention_total: {
    kind: 'counter',
    help: 'What this node deleted because it was old.',
    labels: { kind: 'transactions, request_ids, reservations, events, audit' },
  },
  drover_webhooks_owned: { kind: 'gauge', help: 'Webhooks that this node delivers to.', labels: {} },
  drover_webhook_deliveries_total: {
    kind: 'counter',
    help: 'Webhook delivery attempts by result.',
    labels: { result: 'delivered, retry, failed' },
  },
  drover_webhook_attempt_seconds: {
    kind: 'histogram',
    help: 'Duration of one webhook delivery attempt.',
    labels: {},
    buckets: SECONDS,
  },
  drover_webhook_lag_seconds: {
    kind: 'gauge',
    help: 'Longest time that events have waited for the receiver of a webhook to accept one.',
    labels: {},
  },
  drover_webhooks_disabled_total: {
    kind: 'counter',
    help: 'Webhooks that Drover disabled by itself. Each needs a person to look at it.',
    labels: { reason: 'gone, failing' },
  },
  drover_event_streams: { kind: 'gauge', help: 'Open event streams of this node.', labels: {} },
  drover_event_streams_total: {
    kind: 'counter',
    help: 'Event streams opened and refused, and how they ended.',
    labels: { result: 'opened, refused; closed, stalled, forbidden, failed' },
  },
  drover_waiting_requests: {
    kind: 'gauge',
    help: 'Requests that wait for a transaction to reach a stage.',
    labels: {},
  },
  drover_access_refused_total: {
    kind: 'counter',
    help: 'Requests refused by authentication, scope or rate limit.',
    labels: { reason: 'missing, malformed, unknown, revoked, expired, rate, scope' },
  },
  drover_http_requests_total: {
    kind: 'counter',
    help: 'HTTP requests served.',
    labels: { method: 'the HTTP method', route: "the route's pattern", status: 'the status code' },
  },
  drover_timer_fires_total: {
    kind: 'counter',
    help: 'Timers that fired, by what came of it, once their conditions are known.',
    labels: { chain_id: 'the chain', result: 'fired, condition_not_met, condition_failed' },
  },
  drover_timer_fires_waiting: {
    kind: 'gauge',
    help: 'Fires whose conditions are not known yet, on the chains whose timers this node runs.',
    labels: { chain_id: 'the chain' },
  },
  drover_timers_live: {
    kind: 'gauge',
    help: 'Timers that can fire, on the chains whose timers this node runs.',
    labels: { chain_id: 'the chain' },
  },
  drover_timer_lag_blocks: {
    kind: 'gauge',
    help: 'Blocks that the timers of a chain are behind its head.',
    labels: { chain_id: 'the chain' },
  },
  drover_timer_rewinds_total: {
    kind: 'counter',
    help: 'Reorgs that timers went back for.',
    labels: { chain_id: 'the chain' },
  },
  drover_traces_total: {
    kind: 'counter',
    help: 'Traces of ended transactions, by what became of them. Needs `otlpUrl`.',
    labels: {
      result:
        'sent, refused (the collector does not want them), dropped (the collector is away for too long), skipped (once each time the node was too far behind to see what ended)',
    },
  },
  drover_http_request_seconds: {
    kind: 'histogram',
    help: 'Duration of an HTTP request.',
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
