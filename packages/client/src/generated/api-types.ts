/**
 * The contract of the HTTP API as types. Generated from docs/reference/openapi.json by `npm run generate`; not to be edited.
 */
// biome-ignore-all format: generated

/** A whole number, such as wei or gas: exact as bigint or text (decimal or 0x-hex), as a number only up to 2^53 - 1. */
export type AmountInput = bigint | string | number

export interface ApiKey {
  /** Public id: the part between `drv_` and the secret. */
  readonly id: string
  readonly name: string
  /** The tenant that the key belongs to. */
  readonly tenant: string
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority' | 'approve')[]
  /** Null: all. */
  readonly signers: readonly `0x${string}`[] | null
  /** Null: all. */
  readonly chains: readonly number[] | null
  readonly rate: {
    readonly perSecond: number
    readonly burst: number
  } | null
  /** The most that a transaction sent with this key may cost in fees, in wei. */
  readonly maxTxFee: string | null
  readonly expiresAt: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** Accurate to about a minute. */
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export interface ApiKeyList {
  readonly items: readonly ApiKey[]
}

/** A key cannot grant more than the key that creates it has. */
export interface ApiKeyRequest {
  /** Who uses the key, or what for. Shown in the history and the audit log. */
  readonly name: string
  /** The tenant that the key belongs to. All keys of a tenant share its limits and its request ids, so give a replacement key the same tenant. Default: the name of the key. */
  readonly tenant?: string | null
  /** What the key may do. No scope includes another. */
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority' | 'approve')[]
  /** The signers that the key may see and use. Null: all. */
  readonly signers?: readonly string[] | null
  /** The chains that the key may see and use. Null: all. */
  readonly chains?: readonly number[] | null
  /** Rate limit, counted by each node separately. Null: no limit. */
  readonly rate?: {
    /** Items per second on average. A request counts as one item, a batch as many as it contains. */
    readonly perSecond: number
    /** Items at once. Default: the same as `perSecond`. */
    readonly burst?: number
  } | null
  /** The most that a transaction sent with this key may cost in fees, in wei. A lower limit of the signer or the chain still applies. Null: no limit for this key. */
  readonly maxTxFee?: AmountInput | null
  /** Null: the key never expires. */
  readonly expiresAt?: string | null
}

export interface Attempt {
  readonly hash: `0x${string}`
  readonly kind: 'original' | 'bump' | 'cancel' | 'noop'
  readonly nonce: number
  /** Whole number as a decimal string. */
  readonly gasLimit: string
  readonly fees: {
    /** Whole number as a decimal string. */
    readonly maxFeePerGas: string
    /** Whole number as a decimal string. */
    readonly maxPriorityFeePerGas: string
  } | {
    /** Whole number as a decimal string. */
    readonly gasPrice: string
  }
  /** The signed bytes, as broadcast. */
  readonly raw: `0x${string}`
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export interface AttemptList {
  readonly items: readonly Attempt[]
}

export interface AuditCheck {
  /** The first entry that was changed or is followed by a missing entry. Null: all checked entries are intact. */
  readonly brokenAt: number | null
  /** The last entry that was checked. Store it elsewhere: it proves all entries before it. */
  readonly last: {
    readonly id: number
    readonly hash: string
  }
  /** The last entry that was deleted because of its age. The check begins after it, with its hash. Null: none was deleted. */
  readonly deleted: {
    readonly id: number
    readonly hash: string
  } | null
}

export interface AuditEntry {
  readonly id: number
  /** ISO 8601, UTC. */
  readonly at: string
  /** Null: no key was required. */
  readonly keyId: string | null
  /** Name of the key. */
  readonly actor: string
  readonly node: string | null
  /** Operation id from this document, e.g. cancelTransaction. */
  readonly operation: string
  /** The path of the request. */
  readonly target: string
  /** SHA-256 of this entry and the hash of the previous entry. */
  readonly hash: string
  /** `done`, or the error code. */
  readonly result: string
}

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** Pass it as `before` to get the next page. Null on the last page. */
  readonly next: number | null
}

export interface Block {
  readonly number: number
  readonly hash: `0x${string}`
  readonly parentHash: `0x${string}`
  /** ISO 8601, UTC. */
  readonly timestamp: string
}

export interface BlockPage {
  /** Confirmed blocks only, lowest first. */
  readonly items: readonly Block[]
  /** Pass it as `after` to get the next page. Null while nothing is confirmed yet. */
  readonly next: number | null
  /** The lowest block that this node still has. */
  readonly from: number
  /** The highest confirmed block. Null if there is none yet. */
  readonly confirmed: number | null
  /** True if blocks between `after` and the first item are no longer available. */
  readonly gap: boolean
}

export interface Caller {
  /** Null: the service has no keys yet, so none is needed. */
  readonly keyId: string | null
  /** Name of the key, or `local` if none is needed. */
  readonly name: string
  readonly tenant: string | null
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority' | 'approve')[]
  /** Null: all. */
  readonly signers: readonly `0x${string}`[] | null
  /** Null: all. */
  readonly chains: readonly number[] | null
}

export interface Chain {
  readonly chainId: number
  readonly head: {
    readonly number: number
    readonly hash: `0x${string}`
    /** ISO 8601, UTC. */
    readonly timestamp: string
  } | null
  readonly safe: number | null
  readonly finalized: number | null
  /** Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction. */
  readonly finality: number | 'safe' | 'finalized'
  /** True if Drover knows the newest block and keeps up with it. */
  readonly following: boolean
  /** As this node sees the chain. `standing`: stalled, no block for a long time while something waits to be mined. `rewound`: the head went back and has not recovered. `unreachable`: no RPC node responds. */
  readonly health: {
    readonly state: 'starting' | 'ok' | 'standing' | 'rewound' | 'unreachable'
    readonly since: string | null
    readonly message: string | null
  }
  readonly lastError: string | null
  /** RPC endpoints as this node sees them, in the order of the URLs. */
  readonly endpoints: readonly Endpoint[]
}

export interface ChainList {
  readonly items: readonly Chain[]
}

export interface ChangedWebhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly types: readonly string[] | null
  readonly chainId: number | null
  readonly from: `0x${string}` | null
  readonly completions: boolean
  readonly enabled: boolean
  readonly disabled: {
    /** Why deliveries stopped: someone disabled the webhook, the receiver answered 410, or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when all deliveries have failed. */
  readonly failingSince: string | null
  /** Deliveries exist for all events up to this one. */
  readonly plannedTo: number
  /** Until then, deliveries are also signed with the old secret. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** `whsec_` and base64, as in Standard Webhooks. It is shown only once, so store it now. */
  readonly secret?: string
}

export interface ConfirmationUpdate {
  readonly transactionId: string
  readonly chainId: number
  /** Checksummed address. */
  readonly from: `0x${string}`
  /** The block that includes the transaction. */
  readonly blockNumber: number
  readonly blockHash: `0x${string}`
  /** Confirmations so far, including these. */
  readonly count: number
  /** Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction. */
  readonly required: number | 'safe' | 'finalized'
  /** True: `confirmations` replaces what was sent before. False: add it to what was sent before. */
  readonly newFork: boolean
  /** Lowest first. */
  readonly confirmations: readonly ({
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  })[]
}

export interface Confirmations {
  /** Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction. */
  readonly required: number | 'safe' | 'finalized'
  /** Confirmations so far, as this node sees the chain. */
  readonly count: number
  /** True once the finality rule is met. It never becomes false again. */
  readonly final: boolean
  /** How often a reorg replaced its blocks, and this list with them. */
  readonly newForks: number
  /** Lowest block first, as many as the finality rule asks for. Once final, the blocks that made it final. */
  readonly items: readonly ({
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  })[]
}

export interface Delivery {
  /** The `webhook-id` that the receiver sees. It is the same for every attempt. */
  readonly id: string
  readonly webhookId: string
  /** Null for a test. */
  readonly eventId: number | null
  readonly transactionId: string | null
  readonly type: string
  readonly state: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** Time of the next attempt. Null if the delivery is finished, or waits for an earlier delivery of the same transaction. */
  readonly dueAt: string | null
  readonly attempts: number
  readonly lastAttempt: {
    /** ISO 8601, UTC. */
    readonly at: string
    /** Null if there was no response. */
    readonly status: number | null
    readonly error: string | null
    /** The first bytes of the response. */
    readonly response: string | null
    readonly durationMs: number
  } | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly settledAt: string | null
}

export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** Pass it as `before` to get the next page. Null on the last page. */
  readonly next: number | null
}

export interface Endpoint {
  /** Host and port, plus the position if several URLs share them. */
  readonly name: string
  /** Drover does not read from `lagging` and `implausible` endpoints, but still sends to them. It does not use `wrong_chain` endpoints at all. */
  readonly state: 'unverified' | 'healthy' | 'failing' | 'rate_limited' | 'lagging' | 'implausible' | 'wrong_chain'
  /** ISO 8601, UTC. */
  readonly since: string
  /** `read`: Drover may read from it. `send`: it gets the transactions of all signers without their own endpoint. `private`: it gets the transactions of single signers, which are sent nowhere else. */
  readonly roles: readonly ('read' | 'send' | 'private')[]
  /** Drover leaves this endpoint alone until then. */
  readonly retryAt: string | null
  /** Drover reads from this endpoint now. */
  readonly inUse: boolean
  /** The newest block that it reported, and when Drover first saw it. */
  readonly head: {
    readonly number: number
    /** ISO 8601, UTC. */
    readonly seenAt: string
  } | null
  /** How many blocks it is behind the newest plausible block. */
  readonly lagBlocks: number | null
  /** Share of calls without a usable answer in the last minute, from 0 to 1. */
  readonly errorRate: number | null
  readonly latencyMs: number | null
  /** The rate limit that Drover observed. Null if it never answered 429. */
  readonly callsPerSecond: number | null
  readonly lastError: {
    readonly message: string
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
}

export interface Event {
  /** Position in the stream. It grows in commit order. */
  readonly eventId: number
  readonly transactionId: string | null
  readonly chainId: number
  /** Checksummed address. */
  readonly from: `0x${string}`
  readonly type: string
  readonly cause: string | null
  readonly fromState: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED' | null
  readonly toState: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED' | null
  readonly subState: string | null
  readonly node: string | null
  readonly fence: number | null
  readonly detail: Readonly<Record<string, unknown>>
  /** ISO 8601, UTC. */
  readonly at: string
  /** How often this happened since `at`. Repeated resends and their answers in the same sub-state are one entry. */
  readonly count: number
  /** ISO 8601, UTC. */
  readonly lastAt: string
  /** Only in the event that made a transaction final: the transaction and its result. */
  readonly completion: {
    readonly requestId: string | null
    readonly metadata: Readonly<Record<string, string>>
    /** Null if it ended without being mined. */
    readonly receipt: {
      readonly transactionHash: `0x${string}`
      readonly transactionIndex: number
      readonly blockNumber: number
      readonly blockHash: `0x${string}`
      readonly status: 'success' | 'reverted'
      /** Whole number as a decimal string. */
      readonly gasUsed: string
      /** Whole number as a decimal string. */
      readonly effectiveGasPrice: string
      /** Gas used times the effective price, in wei. Does not include the L1 data fee of a rollup. */
      readonly fee: string
      readonly contractAddress: `0x${string}` | null
    } | null
    readonly error: {
      readonly code: string
      readonly message: string
      readonly reason?: string
      /** The data that the contract returned when it reverted. */
      readonly revertData?: `0x${string}`
    } | null
  } | null
}

export interface EventPage {
  readonly items: readonly Event[]
  /** Pass it as `after` to continue, now or later. It never skips an event. */
  readonly next: number
}

export interface Explanation {
  /** For people. The wording may change. */
  readonly summary: string
  /** Stable, so programs can rely on it. */
  readonly cause: 'chain_unreachable' | 'chain_standing' | 'chain_rewound' | 'nonces_missing' | 'suspended' | 'deadline_passed' | 'no_owner' | 'lane_paused' | 'lane_cancelling' | 'waiting_for_slot' | 'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'waiting_for_key' | 'fee_above_cap' | 'held_by_rule' | 'awaiting_approval' | 'scheduled' | 'not_approved' | 'waiting_in_line' | 'preparing' | 'send_endpoint_away' | 'not_sent' | 'no_answer' | 'rejected_by_node' | 'making_way' | 'nonce_gap' | 'blocked_by_predecessor' | 'blocked_by_reservation' | 'pending' | 'preconfirmed' | 'fee_below_base' | 'bump_refused' | 'stale' | 'reorged' | 'waiting_for_finality' | 'foreign_nonce' | 'no_inclusion' | 'confirmed' | 'reverted' | 'resolved' | 'cancelled' | 'cancelled_on_chain' | 'replaced' | 'rejected' | 'expired'
  /** Why its call reverted on chain, read by running it again on the state before its block. Null if it did not revert, or if the RPC nodes cannot tell. */
  readonly revertReason: string | null
  /** What has to move first, if anything. */
  readonly blockedBy?: {
    readonly type: 'transaction'
    readonly transactionId: string
    readonly nonce: number
    readonly state: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED'
  } | {
    /** Null, like the holder, if it belongs to another tenant. */
    readonly reservationId: string | null
    readonly nonce: number
    /** When the nonce becomes free again, unless it is used or extended. */
    readonly lockedUntil: string
    readonly tenant: string | null
    /** Name and id of the API key that made the reservation. */
    readonly holder: string | null
    /** The holder reported a transaction sent with this nonce. */
    readonly isUsed: boolean
    /** The latest hash that the holder reported. */
    readonly hash: `0x${string}` | null
    /** An operator asked Drover to fill this nonce with an empty transaction. */
    readonly isFilling: boolean
    readonly alarm: 'unknown_hash' | 'not_mined' | 'not_used' | null
    readonly type: 'reservation'
  } | {
    readonly type: 'lane'
    readonly chainId: number
    /** Checksummed address. */
    readonly address: `0x${string}`
  } | {
    readonly type: 'chain'
    readonly chainId: number
  } | {
    readonly type: 'slot'
    readonly inFlight: number
    readonly maxInFlight: number
  } | {
    readonly type: 'node'
    readonly node: string | null
  }
  /** What Drover does next by itself. */
  readonly nextAction: string
  /** Null if the time is not known in advance. */
  readonly nextActionAt: string | null
  /** What you should do now. Null if there is nothing to do. For people: the wording may change. */
  readonly advice: string | null
  /** Where the docs say what to do: an entry of docs/runbook.md. Null if there is nothing to do. */
  readonly runbook: string | null
  /** What can be done to it now, and the effect of each action. */
  readonly options: readonly ({
    readonly action: 'approve' | 'reject' | 'suspend' | 'resume' | 'retry' | 'cancel' | 'resolve' | 'requeue' | 'close' | 'speed-up'
    readonly effect: string
  })[]
}

export interface ExtendNonceRequest {
  /** The `lockOwner` of the reservation. Anyone who has it can act on the reservation. */
  readonly lockOwner: string
  /** How long the nonce stays reserved if it is not used, in milliseconds. */
  readonly ttlMs: number
}

export interface Fees {
  readonly chainId: number
  /** Base fee of the next block. Null on a chain without base fees. */
  readonly nextBaseFeePerGas: string | null
  /** For legacy transactions. */
  readonly gasPrice: string
  /** What Drover offers at each `speed`, before any limit. Tips are medians of recent blocks. */
  readonly speeds: {
    readonly slow: {
      /** Null on a chain without base fees, where `gasPrice` is used. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
    readonly standard: {
      /** Null on a chain without base fees, where `gasPrice` is used. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
    readonly fast: {
      /** Null on a chain without base fees, where `gasPrice` is used. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
  }
  /** Hosts of the RPC nodes that these prices come from. Empty if the setting `gasPrice` fixes the price. */
  readonly saidBy: readonly string[]
  /** The most that one transaction on this chain may cost in fees (setting `maxTxFee`). Null: no limit. */
  readonly maxTxFee: string | null
  /** Signers on this chain with a lower limit in their policy. Drover signs nothing above it. */
  readonly caps: readonly ({
    /** Checksummed address. */
    readonly address: `0x${string}`
    readonly maxFeePerGas: string | null
    readonly maxTxFee: string | null
  })[]
}

export interface FillList {
  readonly items: readonly Transaction[]
}

export interface Fire {
  /** The `deliver_id` of CIP-5, and the request id of the transaction. */
  readonly id: `0x${string}`
  /** The same on every branch of the chain. */
  readonly fireKey: `0x${string}`
  readonly fireSeq: number
  readonly height: number
  readonly blockHash: `0x${string}`
  /** `OBSERVED`: a reorg can still drop it, or its condition is not known yet. `SKIPPED`: nothing is sent. Otherwise it became a transaction, and this is the state of the transaction. */
  readonly state: 'OBSERVED' | 'SKIPPED' | 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED'
  readonly skipReason: string | null
  /** Why its transaction ended `CANCELLED`, `EXPIRED` or `FAILED_FINAL`, in words. */
  readonly reason: string | null
  /** It became a transaction, and then a reorg dropped its block. If the transaction was still `QUEUED`, it is cancelled. */
  readonly orphaned: boolean
  /** Ids of the same fire on other branches of the chain. */
  readonly aliases: readonly `0x${string}`[]
  readonly trigger: {
    readonly type: 'timeout' | 'interval' | 'watch'
    readonly dueHeight: number
    readonly matchedKeys: readonly `0x${string}`[]
    readonly truncated: boolean
  }
  readonly condition: {
    readonly outcome: 'met' | 'not_met' | 'failed'
    readonly value: string | null
    readonly message: string | null
  } | null
  readonly data: `0x${string}`
  /** Whole number as a decimal string. */
  readonly gasLimit: string
  readonly transactionId: string | null
}

export interface FirePage {
  readonly items: readonly Fire[]
  /** Pass it as `before` to get the next page. Null on the last page. */
  readonly next: string | null
}

export interface History {
  readonly items: readonly Event[]
  /** Pass it as `after` to get the next page. Null on the last page. */
  readonly next: number | null
}

export interface KeyCheck {
  /** Checksummed address. */
  readonly address: `0x${string}`
  /** The key signed a challenge, and the address was recovered from it. */
  readonly verified: boolean
  /** Null: the node that answers does not have the key. */
  readonly source: 'environment' | 'demo' | 'keystore' | 'mnemonic' | 'database' | 'vault' | 'remote' | 'aws_kms' | 'google_kms' | null
  readonly place: string | null
  readonly problem: string | null
  readonly tookMs: number | null
}

export interface Lane {
  readonly chainId: number
  /** Checksummed address. */
  readonly address: `0x${string}`
  readonly label: string | null
  readonly paused: boolean
  /** True: its transactions go only to its own send endpoints (`rpcSendUrl`), and only a node that has one for it runs it. */
  readonly sendsPrivately: boolean
  readonly policy: {
    readonly preset: 'stable' | 'fast'
    /** Maximum number of transactions that use a slot at the same time. `auto`: as many as the RPC nodes keep. */
    readonly maxInFlight: number | 'auto'
    readonly slotHeldUntil: 'mined' | 'final'
    /** Maximum number of transactions that are mined but not final. */
    readonly maxUnfinal: number
    readonly resubmitIntervalMs: number
    readonly stuckAfterMs: number
    readonly maxSubmitAttempts: number
    /** Whether Drover may replace a sent transaction. `on_order`: only when an operator or the stuck hook asks for it; `automatic`: also by itself. */
    readonly mayReplace: 'never' | 'on_order' | 'automatic'
    readonly bumpAfterMs: number
    readonly onDeferral: 'hold' | 'pass_over'
    /** The balance is low when it falls below this, in wei. Null: no limit. */
    readonly lowBalance: string | null
    /** The balance is low when it pays for fewer transactions than this. Null: no limit. */
    readonly lowRunway: number | null
    readonly externalUse: boolean
    readonly onForeignNonce: 'stuck' | 'requeue'
    readonly gasLimitPercent: number
    readonly maxFeePerGas: string | null
    /** The most that a transaction may cost in fees. Null: only the chain's `maxTxFee` applies. */
    readonly maxTxFee: string | null
    /** Null: the finality rule of the chain. */
    readonly finality: number | 'safe' | 'finalized' | null
  }
  /** Null until the first nonce is assigned. */
  readonly nextNonce: number | null
  readonly queued: number
  readonly inFlight: number
  readonly stuck: number
  /** Nonces reserved by callers who sign themselves. */
  readonly reserved: number
  /** Nonces that were given back. Drover uses them before new ones. */
  readonly free: number
  /** Reserved nonces with an alarm. */
  readonly stuckReserved: number
  /** The lowest reserved nonce that is not mined. All higher nonces wait for it. */
  readonly lowestReserved: {
    /** Null, like the holder, if it belongs to another tenant. */
    readonly reservationId: string | null
    readonly nonce: number
    /** When the nonce becomes free again, unless it is used or extended. */
    readonly lockedUntil: string
    readonly tenant: string | null
    /** Name and id of the API key that made the reservation. */
    readonly holder: string | null
    /** The holder reported a transaction sent with this nonce. */
    readonly isUsed: boolean
    /** The latest hash that the holder reported. */
    readonly hash: `0x${string}` | null
    /** An operator asked Drover to fill this nonce with an empty transaction. */
    readonly isFilling: boolean
    readonly alarm: 'unknown_hash' | 'not_mined' | 'not_used' | null
  } | null
  /** As last read by the node that runs the signer. Null until then. */
  readonly balance: {
    /** Whole number as a decimal string. */
    readonly wei: string
    /** ISO 8601, UTC. */
    readonly at: string
    /** Average cost of a recent transaction of this signer, value included. Before the first one: the cost of a plain transfer at the current price. */
    readonly txCost: string | null
    /** How many such transactions the balance pays for. Null: unknown, or they cost nothing. */
    readonly runway: number | null
    /** True if the balance is below `lowRunway` or `lowBalance` of the policy. */
    readonly isLow: boolean
  } | null
  /** Transaction counts on chain, as last read by the node that runs the signer. Null until then. */
  readonly chain: {
    /** Transaction count of the account at the latest block, which is the next nonce on chain. */
    readonly latest: number
    /** The same, including transactions in the RPC node's mempool. */
    readonly pending: number
    /** 0: the next nonce matches the chain. Negative: the chain is ahead, so something else uses this key. Positive: this many lower nonces are neither used nor reserved. */
    readonly drift: number
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** What blocks the signer now or soon, worst first. */
  readonly problems: readonly ({
    /** Stable, so programs can rely on it. */
    readonly code: 'no_owner' | 'owner_silent' | 'key_unavailable' | 'foreign_nonce' | 'stuck' | 'out_of_funds' | 'fee_above_cap' | 'blocked_by_reservation' | 'balance_low'
    readonly level: 'bad' | 'warn'
    /** What is wrong. For people: the wording may change. */
    readonly message: string
    /** What to do about it. For people: the wording may change. */
    readonly action: string
    /** Where the docs say more about it: an entry of docs/runbook.md. */
    readonly runbook: string
    /** ISO 8601, UTC. */
    readonly since: string
    /** The first affected transaction. */
    readonly transactionId: string | null
    readonly reservationId: string | null
  })[]
  /** How far the signer sends ahead, as found by the node that runs it. Null until then. */
  readonly window: {
    /** How many unmined transactions the signer may have now. */
    readonly size: number
    readonly reason: 'start' | 'all_kept' | 'at_limit' | 'pool_full' | 'dropped' | 'nonce_gap' | 'delegated'
    /** How many the RPC nodes kept when they last dropped some. Null: they kept all. */
    readonly ceiling: number | null
    /** ISO 8601, UTC. */
    readonly since: string
  } | null
  /** The key of the signer, as seen by the node that answers. Null: that node does not have it. */
  readonly key: {
    readonly source: 'environment' | 'demo' | 'keystore' | 'mnemonic' | 'database' | 'vault' | 'remote' | 'aws_kms' | 'google_kms'
    /** Where the key is: a folder, a host, a region. */
    readonly place: string
    /** False if its key store does not respond. */
    readonly canSign: boolean
    /** Why it cannot sign. */
    readonly problem: string | null
    /** Since when it cannot sign. */
    readonly since: string | null
  } | null
  /** When this signer last signed a transaction on this chain. */
  readonly lastSignedAt: string | null
  /** When a transaction of this signer last became final. */
  readonly lastConfirmationAt: string | null
  /** When a transaction of this signer was last mined. */
  readonly lastNonceMovementAt: string | null
  /** The node that runs the signer. Null if none ever did. */
  readonly lease: {
    readonly node: string
    readonly fence: number
    /** ISO 8601, UTC. */
    readonly expiresAt: string
    readonly live: boolean
  } | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

export interface LaneList {
  readonly items: readonly Lane[]
}

export interface LaneRequest {
  /** Optional if the signer is registered on only one chain. */
  readonly chainId?: number
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
}

export interface NewApiKey {
  /** Public id: the part between `drv_` and the secret. */
  readonly id: string
  readonly name: string
  /** The tenant that the key belongs to. */
  readonly tenant: string
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority' | 'approve')[]
  /** Null: all. */
  readonly signers: readonly `0x${string}`[] | null
  /** Null: all. */
  readonly chains: readonly number[] | null
  readonly rate: {
    readonly perSecond: number
    readonly burst: number
  } | null
  /** The most that a transaction sent with this key may cost in fees, in wei. */
  readonly maxTxFee: string | null
  readonly expiresAt: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** Accurate to about a minute. */
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
  /** The API key itself. It is shown only once, so store it now. */
  readonly token: string
}

export interface NewWebhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly types: readonly string[] | null
  readonly chainId: number | null
  readonly from: `0x${string}` | null
  readonly completions: boolean
  readonly enabled: boolean
  readonly disabled: {
    /** Why deliveries stopped: someone disabled the webhook, the receiver answered 410, or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when all deliveries have failed. */
  readonly failingSince: string | null
  /** Deliveries exist for all events up to this one. */
  readonly plannedTo: number
  /** Until then, deliveries are also signed with the old secret. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** `whsec_` and base64, as in Standard Webhooks. It is shown only once, so store it now. */
  readonly secret: string
}

export interface Node {
  readonly id: string
  /** Host name of its machine, and the port it listens on. */
  readonly address: string | null
  /** Number of lanes that it holds the lease of. */
  readonly lanes: number
  /** Chains that this node can reach. It leaves signers of other chains to nodes that can reach them. Null if unknown. */
  readonly chains: readonly number[] | null
  /** True for the node that sent this response. */
  readonly self: boolean
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** ISO 8601, UTC. */
  readonly heartbeatAt: string
}

export interface NodeList {
  readonly items: readonly Node[]
}

export interface NonceReset {
  readonly id: string
  readonly chainId: number
  /** Checksummed address. */
  readonly address: `0x${string}`
  readonly state: 'REQUESTED' | 'CANCELLING' | 'DONE' | 'REFUSED'
  readonly actor: string
  readonly reason: string
  /** Next nonce before the reset. Null if there was none. */
  readonly fromNonce: number | null
  /** Next nonce after the reset: the chain's transaction count. */
  readonly toNonce: number | null
  /** Why the reset was refused. */
  readonly refusal: string | null
  /** Everything in flight is cancelled before the nonce is reset. */
  readonly cancelsInFlight: boolean
  /** Null for a plain reset, and until the node that runs the signer has started. */
  readonly progress: {
    /** Transactions to cancel. */
    readonly total: number
    readonly cancelled: number
    /** Ended in another way, for example mined before the cancellation. */
    readonly endedOtherwise: number
    readonly left: number
  } | null
  /** ISO 8601, UTC. */
  readonly requestedAt: string
  readonly answeredAt: string | null
}

export interface OperatorRequest {
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
}

export interface Problem {
  /** `urn:drover:error:` followed by the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What is wrong and what to do about it. */
  readonly detail: string
  /** Stable, so programs can rely on it. */
  readonly code: 'invalid_request' | 'not_found' | 'unauthorized' | 'forbidden' | 'rate_limited' | 'tenant_limit' | 'overloaded' | 'misdirected_request' | 'method_not_allowed' | 'unknown_chain' | 'unknown_signer' | 'signer_exists' | 'signer_busy' | 'no_master_key' | 'idempotency_conflict' | 'transaction_deleted' | 'transaction_rejected' | 'refused_by_rule' | 'action_forbidden' | 'not_lock_owner' | 'reservation_expired' | 'queue_full' | 'too_many_waiting' | 'chain_unavailable' | 'database_unavailable' | 'webhook_limit' | 'timer_limit' | 'timers_unavailable' | 'too_many_streams' | 'payload_too_large' | 'headers_too_large' | 'request_timeout' | 'unsupported_media_type' | 'internal'
  /** Path of the field that is wrong. */
  readonly field?: string
  /** Decoded revert reason, or the node's own words. */
  readonly reason?: string
  readonly retryAfterMs?: number
  /** At most 20 per response. */
  readonly issues?: readonly ({
    readonly field: string
    readonly message: string
  })[]
  /** Number of issues that are not listed. */
  readonly more?: number
  readonly [other: string]: unknown
}

export interface Receipt {
  readonly transactionHash: `0x${string}`
  readonly transactionIndex: number
  readonly blockNumber: number
  readonly blockHash: `0x${string}`
  readonly status: 'success' | 'reverted'
  /** Whole number as a decimal string. */
  readonly gasUsed: string
  /** Whole number as a decimal string. */
  readonly effectiveGasPrice: string
  /** Gas used times the effective price, in wei. Does not include the L1 data fee of a rollup. */
  readonly fee: string
  readonly contractAddress: `0x${string}` | null
  /** Only with `include=logs`: at most 1,000 logs, in block order. */
  readonly logs?: readonly ({
    /** Checksummed address. */
    readonly address: `0x${string}`
    readonly topics: readonly `0x${string}`[]
    readonly data: `0x${string}`
    /** Position in the block. */
    readonly logIndex: number
  })[]
  /** Total number of logs. Only with `include=logs`. */
  readonly logCount?: number
}

export interface ReleaseNonceRequest {
  /** The `lockOwner` of the reservation. Anyone who has it can act on the reservation. */
  readonly lockOwner: string
}

export interface Removal {
  /** Checksummed address. */
  readonly address: `0x${string}`
  /** The chains that it was removed from. */
  readonly chainIds: readonly number[]
}

export interface RemovalRequest {
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
}

export interface Reservation {
  readonly id: string
  readonly chainId: number
  /** Checksummed address. */
  readonly address: `0x${string}`
  readonly state: 'REQUESTED' | 'RESERVED' | 'USED' | 'RELEASED' | 'EXPIRED'
  /** Null until a nonce has been reserved. */
  readonly nonce: number | null
  /** Use the nonce before this time (database clock). If there is no nonce yet, the request expires at this time. */
  readonly lockedUntil: string
  readonly ttlMs: number
  /** Tenant that holds it. Empty if Drover has no API keys. */
  readonly tenant: string
  /** Name and id of the API key that made the reservation. */
  readonly holder: string | null
  readonly label: string | null
  readonly requestId: string | null
  /** The mined transaction, or the latest that the holder reported. */
  readonly hash: `0x${string}` | null
  /** All transactions that the holder reported, oldest first. */
  readonly hashes: readonly `0x${string}`[]
  readonly inclusion: {
    readonly transactionHash: `0x${string}`
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
    readonly succeeded: boolean
  } | null
  /** How the nonce was used on chain. `foreign`: by a transaction that the holder did not report. */
  readonly result: 'succeeded' | 'reverted' | 'foreign' | null
  /** Raised after `stuckAfter`. `unknown_hash`: no RPC node knows the transaction. `not_mined`, `not_used`: other transactions wait for this nonce. */
  readonly alarm: {
    readonly cause: 'unknown_hash' | 'not_mined' | 'not_used'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** When an operator asked Drover to fill the nonce with an empty transaction. Whichever is mined first uses the nonce. */
  readonly fillOrderedAt: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly reservedAt: string | null
  readonly usedAt: string | null
  readonly minedAt: string | null
  /** Nothing changes after this. */
  readonly finalAt: string | null
}

export interface ReservationList {
  readonly items: readonly Reservation[]
  /** The secret that you need to act on the reservations. It is shown only once, so store it now. Null if an earlier response already contained it. */
  readonly lockOwner: string | null
}

export interface ReservationPage {
  readonly items: readonly ({
    readonly nonce: number | null
    /** Null: the reservation belongs to another tenant. */
    readonly reservation: Reservation | null
  })[]
  /** Pass it as `after` to get the next page. Null on the last page. */
  readonly next: string | null
}

export interface ReservationRequest {
  /** Optional if the signer is registered on only one chain. */
  readonly chainId?: number
  /** How long the nonce stays reserved if it is not used, in milliseconds. Default: the setting `reservationTtl` (one minute). Maximum: the setting `reservationMaxTtl` (ten minutes). */
  readonly ttlMs?: number
  /** Number of nonces. They are not always consecutive. */
  readonly count?: number
  /** Idempotency key. Sending the same again returns the same reservations. */
  readonly requestId?: string
  readonly label?: string
  /** A secret of your own that nobody can guess. With it and a `requestId` you can repeat a request whose response was lost. Default: Drover creates one and returns it once. */
  readonly lockOwner?: string
}

export interface ResetRequest {
  /** Optional if the signer is registered on only one chain. */
  readonly chainId?: number
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
  /** First cancel everything in flight. Queued transactions stay queued and get no nonce until the reset is done. */
  readonly cancelInFlight?: boolean
}

export interface ResolveRequest {
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
  /** The transaction that used the nonce. Optional: Drover can find it. It must be final and do the same as this transaction. */
  readonly hash?: string
}

export interface RuleSet {
  readonly mode: 'enforce' | 'report'
  readonly chains: readonly number[] | null
  readonly targets: readonly ({
    /** Checksummed address. */
    readonly to: `0x${string}`
    readonly selectors: readonly `0x${string}`[] | null
    readonly chainId: number | null
  })[] | null
  readonly contractCreation: boolean | null
  readonly value: {
    readonly perTransaction: string | null
    readonly perHour: string | null
    readonly perDay: string | null
  } | null
  readonly gas: {
    readonly perTransaction: string | null
    readonly perHour: string | null
    readonly perDay: string | null
  } | null
  readonly tokens: readonly ({
    readonly perTransaction: string | null
    readonly perHour: string | null
    readonly perDay: string | null
    /** Checksummed address. */
    readonly token: `0x${string}`
    readonly chainId: number | null
    readonly approvalAbove: string | null
  })[]
  readonly count: {
    readonly perHour: string | null
    readonly perDay: string | null
  } | null
  readonly approval: {
    /** Whole number as a decimal string. */
    readonly above: string
    readonly of: number
    readonly keys: readonly string[]
    readonly expiresInMs: number
  } | null
}

export interface RuleSetRequest {
  /** `report`: nothing is refused, but what would be refused is logged, counted and audited. */
  readonly mode?: 'enforce' | 'report'
  /** Null: any. */
  readonly chains?: readonly number[] | null
  /** Null: any. */
  readonly targets?: readonly ({
    /** Address. In mixed case, its checksum must be right. */
    readonly to: string
    /** Null: anything may be called, with or without data. */
    readonly selectors?: readonly string[] | null
    /** Null: on any chain. */
    readonly chainId?: number | null
  })[] | null
  /** Null: allowed, unless `targets` are listed. */
  readonly contractCreation?: boolean | null
  /** Native currency sent along, in wei, on each chain. */
  readonly value?: {
    readonly perTransaction?: AmountInput | null
    readonly perHour?: AmountInput | null
    readonly perDay?: AmountInput | null
  } | null
  /** Fees, in wei, on each chain: the most that it can cost, and what it did cost once it is final. */
  readonly gas?: {
    readonly perTransaction?: AmountInput | null
    readonly perHour?: AmountInput | null
    readonly perDay?: AmountInput | null
  } | null
  /** Amounts of `transfer`, `approve`, `transferFrom` and the like (see rules.md), in the smallest unit of the token. */
  readonly tokens?: readonly ({
    readonly perTransaction?: AmountInput | null
    readonly perHour?: AmountInput | null
    readonly perDay?: AmountInput | null
    /** Address. In mixed case, its checksum must be right. */
    readonly token: string
    /** Null: on any chain. */
    readonly chainId?: number | null
    /** Above this amount, the transaction needs approval. */
    readonly approvalAbove?: AmountInput | null
  })[]
  /** Transactions on each chain. */
  readonly count?: {
    readonly perHour?: AmountInput | null
    readonly perDay?: AmountInput | null
  } | null
  readonly approval?: {
    /** Transactions that send more than this, in wei, need approval. */
    readonly above: AmountInput
    /** How many keys must approve. */
    readonly of: number
    /** Names or ids of the API keys that may approve. They need the scope `approve`. */
    readonly keys: readonly string[]
    /** After this time without enough approvals it is CANCELLED. */
    readonly expiresInMs?: number
  } | null
}

export interface Rules {
  /** `signer:0x…` or `key:…`. */
  readonly subject: string
  /** Null: no rules. */
  readonly rules: RuleSet | null
  readonly usage: readonly ({
    /** The field of the rule set, e.g. `value.perDay`. */
    readonly rule: string
    readonly chainId: number
    /** Whole number as a decimal string. */
    readonly limit: string
    /** In the window until now. Transactions that have not ended count with the most they can spend. */
    readonly used: string
    /** Whole number as a decimal string. */
    readonly remaining: string
  })[]
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

export interface Signer {
  /** Checksummed address. */
  readonly address: `0x${string}`
  readonly lanes: readonly Lane[]
  /** The latest nonce resets, newest first. */
  readonly resets: readonly NonceReset[]
}

export interface SignerChange {
  /** Optional if the signer is registered on only one chain. */
  readonly chainId?: number
  /** Null removes it. */
  readonly label?: string | null
  readonly policy?: {
    /** Sets all fields of the preset. Other fields in the request override it. */
    readonly preset?: 'stable' | 'fast'
    /** Maximum number of transactions that use a slot at the same time. `auto`: as many as the RPC nodes keep. */
    readonly maxInFlight?: number | 'auto'
    readonly slotHeldUntil?: 'mined' | 'final'
    /** Maximum number of transactions that are mined but not final. */
    readonly maxUnfinal?: number
    readonly resubmitIntervalMs?: number
    readonly stuckAfterMs?: number
    readonly maxSubmitAttempts?: number
    /** Whether Drover may replace a sent transaction. `never`; `on_order`: only when an operator or the stuck hook asks for it; `automatic`: also by itself. `true` means `automatic`, `false` means `never`. */
    readonly mayReplace?: 'never' | 'on_order' | 'automatic' | boolean
    readonly bumpAfterMs?: number
    readonly onDeferral?: 'hold' | 'pass_over'
    /** Drover warns when the balance falls below this, in wei. Null: no warning. */
    readonly lowBalance?: AmountInput | null
    /** Drover warns when the balance pays for fewer transactions than this. Null: no warning. */
    readonly lowRunway?: number | null
    readonly externalUse?: boolean
    readonly onForeignNonce?: 'stuck' | 'requeue'
    readonly gasLimitPercent?: number
    /** In wei. Null: no limit. */
    readonly maxFeePerGas?: AmountInput | null
    /** The most that a transaction may cost in fees (gas limit times price per gas), in wei. The chain's `maxTxFee` also applies, whichever is lower. Null: only the chain's limit. */
    readonly maxTxFee?: AmountInput | null
    /** Null: the finality rule of the chain. */
    readonly finality?: number | 'safe' | 'finalized' | null
  }
  /** The reason. Stored in the history, together with who did it. */
  readonly reason?: string
}

export interface SignerRegistration {
  readonly chainId: number
  /** Drover must have the key of this address. Leave it out with `createKey`. */
  readonly address?: string
  /** Create a new key, encrypted in the database under the master key. The private key is shown to nobody. */
  readonly createKey?: true
  readonly label?: string | null
  /** Fields that differ from the configured policy. */
  readonly policy?: {
    /** Sets all fields of the preset. Other fields in the request override it. */
    readonly preset?: 'stable' | 'fast'
    /** Maximum number of transactions that use a slot at the same time. `auto`: as many as the RPC nodes keep. */
    readonly maxInFlight?: number | 'auto'
    readonly slotHeldUntil?: 'mined' | 'final'
    /** Maximum number of transactions that are mined but not final. */
    readonly maxUnfinal?: number
    readonly resubmitIntervalMs?: number
    readonly stuckAfterMs?: number
    readonly maxSubmitAttempts?: number
    /** Whether Drover may replace a sent transaction. `never`; `on_order`: only when an operator or the stuck hook asks for it; `automatic`: also by itself. `true` means `automatic`, `false` means `never`. */
    readonly mayReplace?: 'never' | 'on_order' | 'automatic' | boolean
    readonly bumpAfterMs?: number
    readonly onDeferral?: 'hold' | 'pass_over'
    /** Drover warns when the balance falls below this, in wei. Null: no warning. */
    readonly lowBalance?: AmountInput | null
    /** Drover warns when the balance pays for fewer transactions than this. Null: no warning. */
    readonly lowRunway?: number | null
    readonly externalUse?: boolean
    readonly onForeignNonce?: 'stuck' | 'requeue'
    readonly gasLimitPercent?: number
    /** In wei. Null: no limit. */
    readonly maxFeePerGas?: AmountInput | null
    /** The most that a transaction may cost in fees (gas limit times price per gas), in wei. The chain's `maxTxFee` also applies, whichever is lower. Null: only the chain's limit. */
    readonly maxTxFee?: AmountInput | null
    /** Null: the finality rule of the chain. */
    readonly finality?: number | 'safe' | 'finalized' | null
  }
}

export interface TakeBackRequest {
  /** Optional if the signer is registered on only one chain. */
  readonly chainId?: number
  /** The reason. Stored in the history, together with who did it. */
  readonly reason: string
  /** Only this reservation. */
  readonly reservationId?: string
  /** Only reservations of this tenant. */
  readonly tenant?: string
  /** Only reservations made with this API key. */
  readonly keyId?: string
}

export interface TakenReservations {
  readonly items: readonly ({
    readonly reservation: Reservation
    readonly outcome: 'released' | 'filled' | 'left'
    /** Why it was left alone. */
    readonly why: string | null
  })[]
}

export interface Timer {
  readonly id: string
  readonly chainId: number
  /** Checksummed address. */
  readonly from: `0x${string}`
  /** Checksummed address. */
  readonly to: `0x${string}`
  readonly schedule: {
    readonly type: 'timeout'
    readonly height: number
  } | {
    readonly type: 'interval'
    readonly blocks: number
  } | {
    readonly type: 'cron'
    readonly cron: string
    /** The next time, which `dueHeight` stands for. */
    readonly time: string
  } | {
    readonly type: 'watch'
    readonly keys: readonly `0x${string}`[]
  }
  readonly data: `0x${string}`
  /** Whole number as a decimal string. */
  readonly value: string
  /** Whole number as a decimal string. */
  readonly gasLimit: string
  /** Whole number as a decimal string. */
  readonly bid: string
  readonly when: {
    /** Checksummed address. */
    readonly to: `0x${string}`
    readonly data: `0x${string}`
    readonly is: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
    /** Whole number as a decimal string. It can be negative. */
    readonly value: string
  } | null
  readonly overlap: 'buffer' | 'skip'
  readonly appendDeliverId: boolean
  readonly onLowFunds: 'wait' | 'skip'
  /** It ends after this many transactions in a row that revert. 0: never. */
  readonly maxFailures: number
  readonly state: 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'DONE' | 'EVICTED' | 'RETIRED'
  /** Why Drover ended it. */
  readonly endReason: string | null
  /** The block at which it fires next. Null: it waits for an event, or it has ended. */
  readonly dueHeight: number | null
  readonly fireCount: number
  /** What its final transactions have cost, reverted ones included. */
  readonly cost: {
    /** Transactions of this timer that are in a block and final. */
    readonly sent: number
    readonly reverted: number
    /** How many of the last transactions in a row reverted, on chain or before they were sent. */
    readonly failures: number
    /** Whole number as a decimal string. */
    readonly gasUsed: string
    /** Wei. */
    readonly feesPaid: string
  }
  readonly name: string | null
  readonly requestId: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** The `timer_id` of CIP-5. It changes when the timer is resumed or gets another schedule. */
  readonly kernelId: `0x${string}`
  readonly createdHeight: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
}

export interface TimerChange {
  /** When it fires: once at a block, every so many blocks, about a time, or when an event is logged. */
  readonly schedule?: {
    readonly type: 'timeout'
    /** Fires at this block. */
    readonly height?: number
    /** Fires this many blocks after the head. */
    readonly blocks?: number
    /** Converted to blocks once, by the block time of the chain, and rounded up. */
    readonly minutes?: number
  } | {
    readonly type: 'interval'
    /** Fires every so many blocks. */
    readonly blocks?: number
    /** Converted to blocks once, by the block time of the chain, and rounded up. */
    readonly minutes?: number
  } | {
    readonly type: 'cron'
    /** Five fields or a nickname such as `@daily`, in UTC. The next time is converted to a block when the timer is set, and again after each fire. */
    readonly cron: string
  } | {
    readonly type: 'watch'
    /** The contract whose events are watched. */
    readonly contract?: string
    /** Event signature. Without it, every event of the contract fires the timer. */
    readonly event?: string
    /** The first indexed arguments, in order. Only events with these values fire the timer. */
    readonly args?: readonly unknown[]
    /** Raw prefixes instead: address, 0x01, topics. */
    readonly keys?: readonly string[]
  }
  /** 0x-hex, whole bytes, at most 131072 bytes. */
  readonly data?: string
  /** A contract call that Drover encodes for you. Use it instead of `data`. */
  readonly call?: {
    /** Function signature. */
    readonly function: string
    /** Arguments of the function, integers as strings. */
    readonly args?: readonly unknown[]
  }
  /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
  readonly gasLimit?: AmountInput
  /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
  readonly bid?: AmountInput
}

export interface TimerPage {
  readonly items: readonly Timer[]
  /** Pass it as `before` to get the next page. Null on the last page. */
  readonly next: string | null
}

export interface TimerParams {
  /** The first block at which they act. */
  readonly fromHeight: number
  readonly params: Readonly<Record<string, unknown>>
}

/** Parameters of the timers of a chain, such as `maxFiresPerBlock`. Large numbers as decimal strings. */
export type TimerParamsChange = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface TimerQueue {
  /** The next block. */
  readonly height: number
  /** Timers of the chain that can fire. */
  readonly live: number
  readonly maxFiresPerBlock: number
  readonly maxFiresPerTarget: number
  /** Gas of all fires of a block together. */
  readonly maxGas: string
  readonly items: readonly ({
    readonly timerId: string | null
    readonly kernelId: `0x${string}`
    /** Checksummed address. */
    readonly from: `0x${string}`
    /** Checksummed address. */
    readonly to: `0x${string}`
    readonly dueHeight: number
    readonly waitedBlocks: number
    readonly score: string
    /** Whole number as a decimal string. */
    readonly bid: string
    /** Whole number as a decimal string. */
    readonly gasLimit: string
    /** 0: the contract's first. Every contract's first goes before any second. */
    readonly turn: number
    /** The block at which a timer of this contract last fired. */
    readonly targetLastFired: number
    /** The limit that keeps it from firing in the next block. Null: it fires. */
    readonly heldBy: 'target_quota' | 'block_quota' | 'gas' | null
  })[]
}

export interface TimerRequest {
  /** Optional if Drover follows only one chain. */
  readonly chainId?: number
  /** A registered signer. It sends the transactions and pays for them. */
  readonly from: string
  /** The contract that is called. */
  readonly to: string
  /** When it fires: once at a block, every so many blocks, about a time, or when an event is logged. */
  readonly schedule: {
    readonly type: 'timeout'
    /** Fires at this block. */
    readonly height?: number
    /** Fires this many blocks after the head. */
    readonly blocks?: number
    /** Converted to blocks once, by the block time of the chain, and rounded up. */
    readonly minutes?: number
  } | {
    readonly type: 'interval'
    /** Fires every so many blocks. */
    readonly blocks?: number
    /** Converted to blocks once, by the block time of the chain, and rounded up. */
    readonly minutes?: number
  } | {
    readonly type: 'cron'
    /** Five fields or a nickname such as `@daily`, in UTC. The next time is converted to a block when the timer is set, and again after each fire. */
    readonly cron: string
  } | {
    readonly type: 'watch'
    /** The contract whose events are watched. */
    readonly contract?: string
    /** Event signature. Without it, every event of the contract fires the timer. */
    readonly event?: string
    /** The first indexed arguments, in order. Only events with these values fire the timer. */
    readonly args?: readonly unknown[]
    /** Raw prefixes instead: address, 0x01, topics. */
    readonly keys?: readonly string[]
  }
  /** 0x-hex, whole bytes, at most 131072 bytes. */
  readonly data?: string
  /** A contract call that Drover encodes for you. Use it instead of `data`. */
  readonly call?: {
    /** Function signature. */
    readonly function: string
    /** Arguments of the function, integers as strings. */
    readonly args?: readonly unknown[]
  }
  /** Amount in wei that each fire sends. Default: 0. */
  readonly value?: AmountInput
  /** Default: estimated now, and half as much again. */
  readonly gasLimit?: AmountInput
  /** Goes first when more timers are due than may fire in a block. Default: 0. More needs the scope `priority`. */
  readonly bid?: AmountInput
  /** A condition, read at the block that fires. If it does not hold, the fire is skipped and nothing is sent. The first value that the function returns is compared. */
  readonly when?: {
    /** The contract that is asked. Default: the contract that is called. */
    readonly to?: string
    /** A view function, with what it returns. */
    readonly function: string
    readonly args?: readonly unknown[]
    readonly is: 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'
    readonly value: string | number | boolean
  }
  /** If earlier fires are not final yet: `buffer` (default) sends up to 64 at a time, `skip` sends none. The rest is skipped. */
  readonly overlap?: 'buffer' | 'skip'
  /** Append the 32-byte id of the fire to the calldata, for contracts that check it. */
  readonly appendDeliverId?: boolean
  /** While the signer has too little for the fees: `wait` (default) queues fires until it has enough, `skip` skips them. */
  readonly onLowFunds?: 'wait' | 'skip'
  /** The timer ends after this many transactions in a row that revert, on chain or before they are sent. Default: 0, never. */
  readonly maxFailures?: number
  readonly name?: string
  /** Idempotency key. Sending the same key and body again returns the same transaction. */
  readonly requestId?: string
  /** Your own key-value pairs, stored and returned with the transaction. Up to 32 entries. */
  readonly metadata?: Readonly<Record<string, string>>
}

export interface Transaction {
  readonly id: string
  readonly chainId: number
  /** Checksummed address. */
  readonly from: `0x${string}`
  readonly to: `0x${string}` | null
  readonly data: `0x${string}`
  /** Whole number as a decimal string. */
  readonly value: string
  /** Access list (EIP-2930) of the request. Null: it has none. */
  readonly accessList: readonly ({
    /** Checksummed address. */
    readonly address: `0x${string}`
    readonly storageKeys: readonly `0x${string}`[]
  })[] | null
  /** Null until it has been estimated. */
  readonly gasLimit: string | null
  /** The price that the request asked for. If it or a field is null, Drover uses the market price at `speed`. */
  readonly fees: {
    readonly maxFeePerGas: string | null
    readonly maxPriorityFeePerGas: string | null
  } | {
    readonly gasPrice: string | null
  } | null
  readonly speed: 'slow' | 'standard' | 'fast'
  readonly priority: number
  readonly validUntil: string | null
  /** It gets no nonce before the chain has this block, or a block of this time. */
  readonly notBefore: {
    readonly height: number
  } | {
    /** ISO 8601, UTC. */
    readonly time: string
  } | null
  readonly nonce: number | null
  readonly state: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED'
  readonly subState: 'accepted' | 'preparing' | 'waiting_for_slot' | 'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'waiting_for_key' | 'fee_above_cap' | 'held_by_rule' | 'awaiting_approval' | 'scheduled' | 'signed' | 'pending' | 'preconfirmed' | 'stale' | 'rejected_by_node' | 'making_way' | 'blocked_by_predecessor' | 'mined' | 'reorged' | 'suspended' | 'rejected' | 'not_approved' | 'final' | 'cancelled' | 'expired' | 'replaced' | 'foreign_nonce' | 'no_inclusion' | 'resolved'
  /** Hash of the mined attempt, or of the newest if none is mined. If a transaction that Drover did not sign used the nonce and did the same, its hash. Look-ups by hash find only `hashes`. */
  readonly hash: `0x${string}` | null
  /** Hashes of all attempts that Drover ever signed, oldest first. */
  readonly hashes: readonly `0x${string}`[]
  /** Number of attempts signed. */
  readonly attempts: number
  readonly receipt: {
    readonly transactionHash: `0x${string}`
    readonly transactionIndex: number
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
    readonly status: 'success' | 'reverted'
    /** Whole number as a decimal string. */
    readonly gasUsed: string
    /** Whole number as a decimal string. */
    readonly effectiveGasPrice: string
    /** Gas used times the effective price, in wei. Does not include the L1 data fee of a rollup. */
    readonly fee: string
    readonly contractAddress: `0x${string}` | null
  } | null
  readonly inclusion: {
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  } | null
  readonly confirmations: {
    /** Confirmations so far, as this node sees the chain. */
    readonly count: number
    /** Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction. */
    readonly required: number | 'safe' | 'finalized'
    /** How often a reorg replaced its blocks. */
    readonly newForks: number
  }
  readonly error: {
    readonly code: string
    readonly message: string
    readonly reason?: string
    /** The data that the contract returned when it reverted. */
    readonly revertData?: `0x${string}`
  } | null
  /** The call was simulated before it was accepted. False if the request turned simulation off, or if no RPC node could run it in time. Drover simulates it again before it gets a nonce. */
  readonly simulated: boolean
  readonly requestId: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** An operator suspended it. */
  readonly suspended: boolean
  /** How often it was sent under its current nonce. */
  readonly submitCount: number
  /** When an RPC node first accepted it. */
  readonly submittedAt: string | null
  /** When it was last sent. */
  readonly lastSubmitAt: string | null
  /** When Drover sends it again if it is not mined by then. Null if it does not. */
  readonly nextResubmitAt: string | null
  readonly stuckAt: string | null
  readonly minedAt: string | null
  readonly finalAt: string | null
  /** Fencing token of the lease under which it got its nonce. */
  readonly fence: number | null
  /** Node that assigned the nonce. */
  readonly node: string | null
  /** Who has to approve it, and who has. Null: nobody has to. */
  readonly approval: {
    readonly needs: readonly ({
      readonly subject: string
      readonly of: number
      readonly keys: readonly string[]
    })[]
    readonly votes: readonly ({
      readonly keyId: string
      readonly name: string
      /** ISO 8601, UTC. */
      readonly at: string
      readonly reason: string
    })[]
    /** How many more approvals it takes at least. */
    readonly missing: number
    /** ISO 8601, UTC. */
    readonly expiresAt: string
  } | null
}

export interface TransactionBatch {
  /** One result per transaction, in the same order. */
  readonly results: readonly ({
    /** 200: the same request was already accepted. */
    readonly status: 202 | 200
    readonly transaction: Transaction
  } | {
    readonly status: number
    readonly problem: Problem
  })[]
}

export interface TransactionBatchRequest {
  /** Stored in this order. */
  readonly transactions: readonly TransactionRequest[]
}

export interface TransactionPage {
  readonly items: readonly Transaction[]
  /** Pass it as `after` to get the next page. Null on the last page. */
  readonly next: string | null
}

export interface TransactionRequest {
  /** Optional if Drover follows only one chain. */
  readonly chainId?: number
  /** A registered signer. */
  readonly from: string
  /** Leave it out, or set it to null, to deploy a contract. */
  readonly to?: string | null
  /** 0x-hex, whole bytes, at most 130560 bytes. */
  readonly data?: string
  /** A contract call that Drover encodes for you. Use it instead of `data`. */
  readonly call?: {
    /** Function signature. */
    readonly function: string
    /** Arguments of the function, integers as strings. */
    readonly args?: readonly unknown[]
  }
  /** Amount in wei. Default: 0. */
  readonly value?: AmountInput
  /** Default: estimated. */
  readonly gasLimit?: AmountInput
  /** Either maxFeePerGas and maxPriorityFeePerGas, or gasPrice, in wei. Default: the market price. */
  readonly fees?: {
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly maxFeePerGas?: AmountInput
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly maxPriorityFeePerGas?: AmountInput
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly gasPrice?: AmountInput
  }
  /** Access list (EIP-2930). */
  readonly accessList?: readonly ({
    /** Address. In mixed case, its checksum must be right. */
    readonly address: string
    readonly storageKeys: readonly string[]
  })[]
  readonly speed?: 'slow' | 'standard' | 'fast'
  /** Higher priorities of the same signer go first. */
  readonly priority?: number
  /** If it has no nonce by then, it expires. */
  readonly validUntil?: string
  /** It waits without a nonce until the chain has this block, or a block of this time. Give one of them. */
  readonly notBefore?: {
    readonly height?: number
    /** ISO 8601 time with a zone, from 1970 to 9999. */
    readonly time?: string
  }
  /** Idempotency key. Sending the same key and body again returns the same transaction. */
  readonly requestId?: string
  /** Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction. */
  readonly finality?: number | 'safe' | 'finalized'
  /** Set it to false to accept the transaction without simulating it first. */
  readonly simulate?: boolean
  /** Your own key-value pairs, stored and returned with the transaction. Up to 32 entries. */
  readonly metadata?: Readonly<Record<string, string>>
}

export interface UseNonceRequest {
  /** The `lockOwner` of the reservation. Anyone who has it can act on the reservation. */
  readonly lockOwner: string
  /** Transaction hash: 0x and 64 hex digits. */
  readonly hash: string
}

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string | null
  readonly types: readonly string[] | null
  readonly chainId: number | null
  readonly from: `0x${string}` | null
  readonly completions: boolean
  readonly enabled: boolean
  readonly disabled: {
    /** Why deliveries stopped: someone disabled the webhook, the receiver answered 410, or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when all deliveries have failed. */
  readonly failingSince: string | null
  /** Deliveries exist for all events up to this one. */
  readonly plannedTo: number
  /** Until then, deliveries are also signed with the old secret. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
}

export interface WebhookChange {
  /** Drover posts events to this URL. It must be https and not a private address, unless `webhookAllowPrivate` is set. */
  readonly url?: string
  readonly description?: string | null
  /** Only events of these types. Null: all. */
  readonly types?: readonly string[] | null
  /** Only events of this chain. Null: all. */
  readonly chainId?: number | null
  /** Only events of this signer. Null: all. */
  readonly from?: string | null
  /** Only the event that made each transaction final. */
  readonly completions?: boolean
  /** `false` stops deliveries. `true` resumes them, including all events missed in the meantime. */
  readonly enabled?: boolean
  /** Create a new secret. It is returned only in this response. For a while, deliveries are signed with both secrets. */
  readonly rotateSecret?: true
}

export interface WebhookList {
  readonly items: readonly Webhook[]
}

export interface WebhookRequest {
  /** Drover posts events to this URL. It must be https and not a private address, unless `webhookAllowPrivate` is set. */
  readonly url: string
  readonly description?: string | null
  /** Only events of these types. Null: all. */
  readonly types?: readonly string[] | null
  /** Only events of this chain. Null: all. */
  readonly chainId?: number | null
  /** Only events of this signer. Null: all. */
  readonly from?: string | null
  /** Only the event that made each transaction final. */
  readonly completions?: boolean
  /** Deliver events after this one. `0`: all events. Null: only new events. */
  readonly after?: number | null
}

export interface Operations {
  /** Send a transaction. It is stored durably before the response is sent. */
  'POST /v1/transactions': {
    readonly params: undefined
    readonly query: {
      /** Wait with the response until the transaction has reached this stage. The response header `Drover-Wait` then says `reached`, `ended` (it reverted, ended in another way, or is stuck), `timeout`, or `stopping` (ask again). */
      readonly wait?: 'submitted' | 'mined' | 'confirmed'
      /** How long to wait, in milliseconds. After that, the response has the transaction as it is. Only with `wait`. Default: 30000. */
      readonly timeoutMs?: number
    }
    readonly body: TransactionRequest
    readonly answer: Transaction
  }
  /** List transactions in order of acceptance, with filters, page by page. */
  'GET /v1/transactions': {
    readonly params: undefined
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Address. In mixed case, its checksum must be right. */
      readonly from?: string
      /** One or more states, separated by commas. */
      readonly state?: string
      /** Only transactions in this sub-state, e.g. `awaiting_approval`. */
      readonly subState?: 'accepted' | 'preparing' | 'waiting_for_slot' | 'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'waiting_for_key' | 'fee_above_cap' | 'held_by_rule' | 'awaiting_approval' | 'scheduled' | 'signed' | 'pending' | 'preconfirmed' | 'stale' | 'rejected_by_node' | 'making_way' | 'blocked_by_predecessor' | 'mined' | 'reorged' | 'suspended' | 'rejected' | 'not_approved' | 'final' | 'cancelled' | 'expired' | 'replaced' | 'foreign_nonce' | 'no_inclusion' | 'resolved'
      /** Address. In mixed case, its checksum must be right. */
      readonly to?: string
      /** Finds requests of your own tenant; with `operate` or `admin`, of all. */
      readonly requestId?: string
      /** Only transactions whose request id starts with this, as with `requestId`. */
      readonly requestIdPrefix?: string
      /** Only transactions with this pair in their metadata. */
      readonly metadata?: string
      /** Transaction hash: 0x and 64 hex digits. */
      readonly hash?: string
      /** Whole number from 0 to 9007199254740991. */
      readonly nonce?: number
      /** Only transactions accepted at or after this time. */
      readonly since?: string
      /** Only transactions accepted before this time. */
      readonly until?: string
      /** `asc`: oldest first; `desc`: newest first. */
      readonly order?: 'asc' | 'desc'
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` from the previous page. */
      readonly after?: string
    }
    readonly body: undefined
    readonly answer: TransactionPage
  }
  /** Send up to 1,000 transactions. Returns one result for each, in order. */
  'POST /v1/transactions/batch': {
    readonly params: undefined
    readonly query: undefined
    readonly body: TransactionBatchRequest
    readonly answer: TransactionBatch
  }
  /** Show a transaction, now or when it reaches the stage you wait for. */
  'GET /v1/transactions/{id}': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** Wait with the response until the transaction has reached this stage. The response header `Drover-Wait` then says `reached`, `ended` (it reverted, ended in another way, or is stuck), `timeout`, or `stopping` (ask again). */
      readonly wait?: 'submitted' | 'mined' | 'confirmed'
      /** How long to wait, in milliseconds. After that, the response has the transaction as it is. Only with `wait`. Default: 30000. */
      readonly timeoutMs?: number
    }
    readonly body: undefined
    readonly answer: Transaction
  }
  /** Show the history of a transaction, page by page. */
  'GET /v1/transactions/{id}/history': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** `asc`: oldest first; `desc`: newest first. */
      readonly order?: 'asc' | 'desc'
      /** `next` from the previous page. */
      readonly after?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: History
  }
  /** List the attempts of a transaction, including the signed bytes. */
  'GET /v1/transactions/{id}/attempts': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: AttemptList
  }
  /** Show the confirmations of a transaction. */
  'GET /v1/transactions/{id}/confirmations': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Confirmations
  }
  /** Show the receipt of a transaction, optionally with its logs. */
  'GET /v1/transactions/{id}/receipt': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** `logs`: include the logs, read from an RPC node now. */
      readonly include?: 'logs'
    }
    readonly body: undefined
    readonly answer: Receipt
  }
  /** Explain why a transaction is where it is, what happens next, and what you can do. */
  'GET /v1/transactions/{id}/explain': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Explanation
  }
  /** Suspend a transaction: it gets no nonce and nothing is sent. */
  'POST /v1/transactions/{id}/suspend': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Resume a suspended transaction. */
  'POST /v1/transactions/{id}/resume': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Retry a waiting or stuck transaction now, with the same bytes. */
  'POST /v1/transactions/{id}/retry': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Speed up a sent transaction: sign it again at a higher price. Whichever is mined counts. */
  'POST /v1/transactions/{id}/speed-up': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Cancel a transaction: drop it if it has no nonce yet, else replace it with an empty transaction. */
  'POST /v1/transactions/{id}/cancel': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Resolve a stuck transaction whose nonce was used by a final transaction that did the same. */
  'POST /v1/transactions/{id}/resolve': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ResolveRequest
    readonly answer: Transaction
  }
  /** Requeue a transaction under a new nonce after another transaction used its nonce for something else. */
  'POST /v1/transactions/{id}/requeue': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Close a transaction as CANCELLED after another transaction used its nonce for something else. */
  'POST /v1/transactions/{id}/close': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Approve a transaction that waits for approval, as one of the keys its rules name. */
  'POST /v1/transactions/{id}/approve': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Refuse a transaction that waits for approval: it is CANCELLED. */
  'POST /v1/transactions/{id}/reject': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** List all signers, one entry per chain. */
  'GET /v1/signers': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: LaneList
  }
  /** Register a signer on a chain: one whose key Drover has, or with a new key. */
  'POST /v1/signers': {
    readonly params: undefined
    readonly query: undefined
    readonly body: SignerRegistration
    readonly answer: Lane
  }
  /** Show a signer on all its chains. */
  'GET /v1/signers/{address}': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Signer
  }
  /** Change the label or the policy of a signer on one chain. */
  'PATCH /v1/signers/{address}': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: SignerChange
    readonly answer: Lane
  }
  /** Pause a signer: it gets no new nonces, but transactions in flight continue. */
  'POST /v1/signers/{address}/pause': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: Lane
  }
  /** Resume a signer. */
  'POST /v1/signers/{address}/resume': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: Lane
  }
  /** Check that the key of a signer can sign: sign a challenge and recover the address. */
  'POST /v1/signers/{address}/verify': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: KeyCheck
  }
  /** Remove a signer from all chains. A key in the database is deleted. */
  'POST /v1/signers/{address}/remove': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: RemovalRequest
    readonly answer: Removal
  }
  /** Reset a signer's next nonce to the chain's count, optionally after cancelling everything in flight. */
  'POST /v1/signers/{address}/reset-nonce': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: ResetRequest
    readonly answer: NonceReset
  }
  /** Show a nonce reset: how many transactions are cancelled and how many are left. */
  'GET /v1/signers/{address}/resets/{id}': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
      /** Id of a reset. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: NonceReset
  }
  /** Fill nonce gaps with empty transactions from the signer to itself. */
  'POST /v1/signers/{address}/fill-gap': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: FillList
  }
  /** Show what a signer may spend, and how much of it is used. */
  'GET /v1/signers/{address}/rules': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Rules
  }
  /** Set what a signer may spend. Replaces the rules it has. */
  'PUT /v1/signers/{address}/rules': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: {
      /** The reason. Stored in the history, together with who did it. */
      readonly reason?: string
    }
    readonly body: RuleSetRequest
    readonly answer: Rules
  }
  /** Remove the rules of a signer, and forget what it has spent. */
  'DELETE /v1/signers/{address}/rules': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: {
      /** The reason. Stored in the history, together with who did it. */
      readonly reason?: string
    }
    readonly body: undefined
    readonly answer: Rules
  }
  /** Reserve nonces of a signer to sign transactions yourself. */
  'POST /v1/signers/{address}/nonces': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: ReservationRequest
    readonly answer: ReservationList
  }
  /** List the open reservations of a signer, lowest nonce first. */
  'GET /v1/signers/{address}/nonces': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` from the previous page. */
      readonly after?: string
    }
    readonly body: undefined
    readonly answer: ReservationPage
  }
  /** Release reserved nonces: unused ones become free again, those whose transaction no RPC node knows are filled. */
  'POST /v1/signers/{address}/nonces/release': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: TakeBackRequest
    readonly answer: TakenReservations
  }
  /** Fill reserved nonces with empty transactions, unless an RPC node knows the holder's transaction. */
  'POST /v1/signers/{address}/nonces/fill': {
    readonly params: {
      /** Address. In mixed case, its checksum must be right. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: TakeBackRequest
    readonly answer: TakenReservations
  }
  /** Show a reservation and how its nonce was used. */
  'GET /v1/nonces/{id}': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Reservation
  }
  /** Report the transaction that you sent with a reserved nonce. Drover follows it until it is final. */
  'POST /v1/nonces/{id}/use': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: UseNonceRequest
    readonly answer: Reservation
  }
  /** Extend a reservation. */
  'POST /v1/nonces/{id}/extend': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ExtendNonceRequest
    readonly answer: Reservation
  }
  /** Release a reserved nonce that was not used. */
  'POST /v1/nonces/{id}/release': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ReleaseNonceRequest
    readonly answer: Reservation
  }
  /** Read events in order, starting at a cursor. */
  'GET /v1/events': {
    readonly params: undefined
    readonly query: {
      /** `next` from the previous page. */
      readonly after?: number
      /** Instead of `after`: start this many events before the newest one (0 to 10000). With 0 the page is empty, and `next` is the end of the stream. */
      readonly tail?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** Only events of these types (1 to 50, separated by commas). */
      readonly types?: string
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Address. In mixed case, its checksum must be right. */
      readonly from?: string
      /** `true`: only the event that made each transaction final. */
      readonly completions?: 'true' | 'false'
    }
    readonly body: undefined
    readonly answer: EventPage
  }
  /** Create a webhook: Drover posts events to a URL, signed as in Standard Webhooks. */
  'POST /v1/webhooks': {
    readonly params: undefined
    readonly query: undefined
    readonly body: WebhookRequest
    readonly answer: NewWebhook
  }
  /** List the webhooks, newest first, without their secrets. */
  'GET /v1/webhooks': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: WebhookList
  }
  /** Show a webhook. */
  'GET /v1/webhooks/{id}': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Webhook
  }
  /** Change, disable or enable a webhook, or rotate its secret. */
  'PATCH /v1/webhooks/{id}': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: WebhookChange
    readonly answer: ChangedWebhook
  }
  /** Delete a webhook with all of its deliveries. */
  'DELETE /v1/webhooks/{id}': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Webhook
  }
  /** List the deliveries of a webhook, newest first, page by page. */
  'GET /v1/webhooks/{id}/deliveries': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: {
      /** Only deliveries in this state. */
      readonly state?: 'PENDING' | 'DELIVERED' | 'FAILED'
      /** `next` from the previous page. */
      readonly before?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: DeliveryPage
  }
  /** Send a delivery again now, with the same id. */
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
      /** Id of a delivery. */
      readonly deliveryId: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Delivery
  }
  /** Send a webhook.test event to check that deliveries arrive. */
  'POST /v1/webhooks/{id}/test': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Delivery
  }
  /** Create a timer: a call at a block, every so many blocks, or when an event is logged. */
  'POST /v1/timers': {
    readonly params: undefined
    readonly query: undefined
    readonly body: TimerRequest
    readonly answer: Timer
  }
  /** List timers, newest first, page by page. */
  'GET /v1/timers': {
    readonly params: undefined
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Address. In mixed case, its checksum must be right. */
      readonly from?: string
      /** Address. In mixed case, its checksum must be right. */
      readonly to?: string
      /** One or more states, separated by commas. */
      readonly state?: string
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` from the previous page. */
      readonly before?: string
    }
    readonly body: undefined
    readonly answer: TimerPage
  }
  /** Show which timers fire at the next block, in order, and which limit holds back the others. */
  'GET /v1/timers/queue': {
    readonly params: undefined
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: TimerQueue
  }
  /** Change the quotas and weights of the timers of a chain, from the next epoch of 64 blocks on. */
  'PATCH /v1/timers/params': {
    readonly params: undefined
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
    }
    readonly body: TimerParamsChange
    readonly answer: TimerParams
  }
  /** Show a timer. */
  'GET /v1/timers/{id}': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Timer
  }
  /** Change the schedule, calldata, gas limit or bid of a timer. It goes to the back of the line. */
  'PATCH /v1/timers/{id}': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: TimerChange
    readonly answer: Timer
  }
  /** Cancel a timer for good. What it has fired is still sent. */
  'DELETE /v1/timers/{id}': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Timer
  }
  /** Pause a timer: it does not fire until it is resumed. */
  'POST /v1/timers/{id}/pause': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Timer
  }
  /** Resume a paused timer. An interval counts from now, and a watch sees events from now on. */
  'POST /v1/timers/{id}/resume': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Timer
  }
  /** List what a timer has fired, newest first, with the transactions that came of it. */
  'GET /v1/timers/{id}/fires': {
    readonly params: {
      /** Id of a timer. */
      readonly id: string
    }
    readonly query: {
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` from the previous page. */
      readonly before?: string
    }
    readonly body: undefined
    readonly answer: FirePage
  }
  /** List the chains. */
  'GET /v1/chains': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ChainList
  }
  /** Read confirmed blocks in order, starting at a cursor. */
  'GET /v1/chains/{chainId}/blocks': {
    readonly params: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId: number
    }
    readonly query: {
      /** `next` from the previous page. Default: start at the lowest available block. */
      readonly after?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: BlockPage
  }
  /** Show the current gas prices of a chain and what Drover offers at each speed. */
  'GET /v1/chains/{chainId}/fees': {
    readonly params: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId: number
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Fees
  }
  /** List all live nodes. */
  'GET /v1/nodes': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: NodeList
  }
  /** Show who you are: your API key, its scopes, and the signers and chains it is limited to. */
  'GET /v1/caller': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: Caller
  }
  /** List the API keys, newest first, without their secrets. */
  'GET /v1/api-keys': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ApiKeyList
  }
  /** Create an API key. Once one exists, every call needs one. */
  'POST /v1/api-keys': {
    readonly params: undefined
    readonly query: undefined
    readonly body: ApiKeyRequest
    readonly answer: NewApiKey
  }
  /** Revoke an API key. It stops working on all nodes before the response is sent. */
  'DELETE /v1/api-keys/{id}': {
    readonly params: {
      /** Id of the key. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: ApiKey
  }
  /** Show what an API key may spend, and how much of it is used. */
  'GET /v1/api-keys/{id}/rules': {
    readonly params: {
      /** Id of the key. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Rules
  }
  /** Set what an API key may spend. Replaces the rules it has. */
  'PUT /v1/api-keys/{id}/rules': {
    readonly params: {
      /** Id of the key. */
      readonly id: string
    }
    readonly query: {
      /** The reason. Stored in the history, together with who did it. */
      readonly reason?: string
    }
    readonly body: RuleSetRequest
    readonly answer: Rules
  }
  /** Remove the rules of an API key, and forget what it has spent. */
  'DELETE /v1/api-keys/{id}/rules': {
    readonly params: {
      /** Id of the key. */
      readonly id: string
    }
    readonly query: {
      /** The reason. Stored in the history, together with who did it. */
      readonly reason?: string
    }
    readonly body: undefined
    readonly answer: Rules
  }
  /** Read the audit log: who changed what, newest first. */
  'GET /v1/audit': {
    readonly params: undefined
    readonly query: {
      /** `next` from the previous page. */
      readonly before?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: AuditPage
  }
  /** Verify the hashes of the audit log, 20000 entries at a time. */
  'GET /v1/audit/check': {
    readonly params: undefined
    readonly query: {
      /** `last.id` of the previous check, to continue from there. */
      readonly after?: number
    }
    readonly body: undefined
    readonly answer: AuditCheck
  }
}
