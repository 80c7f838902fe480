/**
 * The contract of the HTTP API as types. Generated from docs/reference/openapi.json by `npm run generate`; not to be edited.
 */
// biome-ignore-all format: generated

/** A whole number, such as wei or gas: exact as bigint or text (decimal or 0x-hex), as a number only up to 2^53 - 1. */
export type AmountInput = bigint | string | number

export interface ApiKey {
  /** Public: the part between `drv_` and the secret. */
  readonly id: string
  readonly name: string
  /** Whom it belongs to. */
  readonly tenant: string
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority')[]
  /** Null: all. */
  readonly signers: readonly `0x${string}`[] | null
  /** Null: all. */
  readonly chains: readonly number[] | null
  readonly rate: {
    readonly perSecond: number
    readonly burst: number
  } | null
  /** Wei; the most that a transaction it sends may cost in fees. */
  readonly maxTxFee: string | null
  readonly expiresAt: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** To the minute or so. */
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export interface ApiKeyList {
  readonly items: readonly ApiKey[]
}

/** Nothing in it may be more than the key has that makes it. */
export interface ApiKeyRequest {
  /** Whose it is or what it is for; the history and the audit show it. */
  readonly name: string
  /** Whom it belongs to. Keys of one tenant share its part of every pool and its request ids, so a key that takes over from another names the same tenant. Left out: the name. */
  readonly tenant?: string | null
  /** What it may do; none implies another. */
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority')[]
  /** The only signers that it may see and use; null: all. */
  readonly signers?: readonly string[] | null
  /** The only chains that it may see and use; null: all. */
  readonly chains?: readonly number[] | null
  /** Counted by each node for itself; null: no limit. */
  readonly rate?: {
    /** Items in a second, over time: a request is one, and a batch as many as it holds. */
    readonly perSecond: number
    /** At once; left out: as many as a second has. */
    readonly burst?: number
  } | null
  /** Wei; no transaction that it sends may cost more than this in fees. A lower limit of the signer or the chain counts as well. Null: no limit of its own. */
  readonly maxTxFee?: AmountInput | null
  /** Null: never. */
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
  /** The first entry that was changed, or after which one is missing; null: none of those checked. */
  readonly brokenAt: number | null
  /** The last one that was checked. Keep it elsewhere: it proves all before it. */
  readonly last: {
    readonly id: number
    readonly hash: string
  }
}

export interface AuditEntry {
  readonly id: number
  /** ISO 8601, UTC. */
  readonly at: string
  /** Null: no key was needed. */
  readonly keyId: string | null
  /** Name of the key. */
  readonly actor: string
  readonly node: string | null
  /** As in this document, e.g. cancelTransaction. */
  readonly operation: string
  /** The path that it was done to. */
  readonly target: string
  /** SHA-256 over this entry and the hash of the one before it. */
  readonly hash: string
  /** `done`, or the code of the error that it was refused with. */
  readonly result: string
}

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** Pass as `before` to go on; null at the end. */
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
  /** Pass as `after` to go on; null while nothing is confirmed yet. */
  readonly next: number | null
  /** Lowest block that this node still has. */
  readonly from: number
  /** Highest confirmed block; null while there is none. */
  readonly confirmed: number | null
  /** Blocks between `after` and the first item are no longer here. */
  readonly gap: boolean
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
  /** Confirmations that are needed, or the block tag that has to reach the inclusion. */
  readonly finality: number | 'safe' | 'finalized'
  /** The head is known and kept up with. */
  readonly following: boolean
  /** As this node sees the chain. `standing`: no block for long while something waits to be mined; `rewound`: the head went back and stays there; `unreachable`: no RPC node answers. */
  readonly health: {
    readonly state: 'starting' | 'ok' | 'standing' | 'rewound' | 'unreachable'
    readonly since: string | null
    readonly message: string | null
  }
  readonly lastError: string | null
  /** Its RPC endpoints as this node sees them, in the order of the URLs. */
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
    /** Switched off by somebody; answered 410; or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when nothing was delivered although it was tried. */
  readonly failingSince: string | null
  /** Events up to this one have their deliveries. */
  readonly plannedTo: number
  /** Until then the secret before this one signs too. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** `whsec_` and base64, as Standard Webhooks has it; told only here: keep it now. */
  readonly secret?: string
}

export interface ConfirmationUpdate {
  readonly transactionId: string
  readonly chainId: number
  /** Check-summed address. */
  readonly from: `0x${string}`
  /** The block that holds the transaction. */
  readonly blockNumber: number
  readonly blockHash: `0x${string}`
  /** Blocks on top of it, these included. */
  readonly count: number
  /** Confirmations that are needed, or the block tag that has to reach the inclusion. */
  readonly required: number | 'safe' | 'finalized'
  /** True: `confirmations` replaces what was told before; false: it is added. */
  readonly newFork: boolean
  /** Lowest first. */
  readonly confirmations: readonly ({
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  })[]
}

export interface Confirmations {
  /** Confirmations that are needed, or the block tag that has to reach the inclusion. */
  readonly required: number | 'safe' | 'finalized'
  /** Blocks on top of the inclusion, as this node sees the chain now. */
  readonly count: number
  /** The rule is met, and that is stored for good. */
  readonly final: boolean
  /** How often the blocks under it were replaced, and this list with them. */
  readonly newForks: number
  /** Lowest first, as many as the rule asks for. Once final, those that made it so. */
  readonly items: readonly ({
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  })[]
}

export interface Delivery {
  /** The `webhook-id` that the receiver sees, the same with every attempt. */
  readonly id: string
  readonly webhookId: string
  /** Null for a test. */
  readonly eventId: number | null
  readonly transactionId: string | null
  readonly type: string
  readonly state: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** When it is tried next; null where it is settled, and while an earlier one of its transaction is pending. */
  readonly dueAt: string | null
  readonly attempts: number
  readonly lastAttempt: {
    /** ISO 8601, UTC. */
    readonly at: string
    /** Null where there was no answer. */
    readonly status: number | null
    readonly error: string | null
    /** The first bytes of the answer. */
    readonly response: string | null
    readonly durationMs: number
  } | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly settledAt: string | null
}

export interface DeliveryPage {
  readonly items: readonly Delivery[]
  /** Pass as `before` to go on; null at the end. */
  readonly next: number | null
}

export interface Endpoint {
  /** Host and port; with its position where several URLs share them. */
  readonly name: string
  /** `lagging` and `implausible` endpoints are not read from, but still sent to; `wrong_chain` ones are not used at all. */
  readonly state: 'unverified' | 'healthy' | 'failing' | 'rate_limited' | 'lagging' | 'implausible' | 'wrong_chain'
  /** ISO 8601, UTC. */
  readonly since: string
  /** Reads go to it now. Transactions are sent to every endpoint. */
  readonly inUse: boolean
  /** The newest block that it told of, and when this was first seen. */
  readonly head: {
    readonly number: number
    /** ISO 8601, UTC. */
    readonly seenAt: string
  } | null
  /** Blocks behind the newest one that can be believed. */
  readonly lagBlocks: number | null
  /** Share of the calls of the last minute without a usable answer, from 0 to 1. */
  readonly errorRate: number | null
  readonly latencyMs: number | null
  /** The rate that it was found to allow; null where it never answered 429. */
  readonly callsPerSecond: number | null
  readonly lastError: {
    readonly message: string
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
}

export interface Event {
  /** Place in the stream; grows in commit order. */
  readonly eventId: number
  readonly transactionId: string | null
  readonly chainId: number
  /** Check-summed address. */
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
  /** How often this happened since `at`: a resend or its answer in the same sub-state is kept as one entry. */
  readonly count: number
  /** ISO 8601, UTC. */
  readonly lastAt: string
  /** With the one event that made a transaction final: whose it was, and what came of it. */
  readonly completion: {
    readonly requestId: string | null
    readonly metadata: Readonly<Record<string, string>>
    /** Null where it ended without being in a block. */
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
      /** Gas used at the effective price, in wei; without what a rollup adds for its L1 data. */
      readonly fee: string
      readonly contractAddress: `0x${string}` | null
    } | null
    readonly error: {
      readonly code: string
      readonly message: string
      readonly reason?: string
      /** What the contract returned as it reverted. */
      readonly revertData?: `0x${string}`
    } | null
  } | null
}

export interface EventPage {
  readonly items: readonly Event[]
  /** Pass as `after` to go on, now or later: it never skips an event. */
  readonly next: number
}

export interface Explanation {
  /** For people; may change. */
  readonly summary: string
  /** Stable: programs may act on it. */
  readonly cause: 'chain_unreachable' | 'chain_standing' | 'chain_rewound' | 'nonces_missing' | 'suspended' | 'deadline_passed' | 'no_owner' | 'lane_paused' | 'lane_cancelling' | 'waiting_for_slot' | 'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'fee_above_cap' | 'waiting_in_line' | 'preparing' | 'not_sent' | 'no_answer' | 'rejected_by_node' | 'making_way' | 'nonce_gap' | 'blocked_by_predecessor' | 'blocked_by_reservation' | 'pending' | 'preconfirmed' | 'fee_below_base' | 'bump_refused' | 'stale' | 'reorged' | 'waiting_for_finality' | 'foreign_nonce' | 'no_inclusion' | 'confirmed' | 'reverted' | 'resolved' | 'cancelled' | 'cancelled_on_chain' | 'replaced' | 'rejected' | 'expired'
  /** What has to move first, where there is such a thing. */
  readonly blockedBy?: {
    readonly type: 'transaction'
    readonly transactionId: string
    readonly nonce: number
    readonly state: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED'
  } | {
    /** Null, like who holds it, where it is another tenant's. */
    readonly reservationId: string | null
    readonly nonce: number
    /** Free again then, unless it is used or extended. */
    readonly lockedUntil: string
    readonly tenant: string | null
    /** The API key that it was made with: name and id. */
    readonly holder: string | null
    /** Its holder says that a transaction was sent with it. */
    readonly isUsed: boolean
    /** The latest that the holder named. */
    readonly hash: `0x${string}` | null
    /** An operator ordered an empty transaction in its place. */
    readonly isFilling: boolean
    readonly alarm: 'unknown_hash' | 'not_mined' | 'not_used' | null
    readonly type: 'reservation'
  } | {
    readonly type: 'lane'
    readonly chainId: number
    /** Check-summed address. */
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
  /** What Drover does next, by itself. */
  readonly nextAction: string
  /** Null where it waits for something that has no set time. */
  readonly nextActionAt: string | null
  /** What a person should do now; null where nothing has to be done. For people; may change. */
  readonly advice: string | null
  /** What an operator may do now, and what each would bring about. */
  readonly options: readonly ({
    readonly action: 'suspend' | 'resume' | 'retry' | 'cancel' | 'resolve' | 'requeue' | 'close' | 'speed-up'
    readonly effect: string
  })[]
}

export interface ExtendNonceRequest {
  /** The proof that the reservation was made with; whoever has it may act for the holder. */
  readonly lockOwner: string
  /** How long the nonce stays lent without being used, in milliseconds. */
  readonly ttlMs: number
}

export interface Fees {
  readonly chainId: number
  /** Of the block to come; null on a chain without base fees. */
  readonly nextBaseFeePerGas: string | null
  /** For transactions of the legacy kind. */
  readonly gasPrice: string
  /** What is offered for each `speed`, before any cap; tips are medians of recent blocks. */
  readonly speeds: {
    readonly slow: {
      /** Null on a chain without base fees; there, gasPrice is offered. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
    readonly standard: {
      /** Null on a chain without base fees; there, gasPrice is offered. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
    readonly fast: {
      /** Null on a chain without base fees; there, gasPrice is offered. */
      readonly maxFeePerGas: string | null
      /** Whole number as a decimal string. */
      readonly maxPriorityFeePerGas: string
    }
  }
  /** Hosts of the RPC nodes whose answers this is made of; empty where the price is fixed by `gasPrice`. */
  readonly saidBy: readonly string[]
  /** The most that one transaction on this chain may cost in fees (setting `maxTxFee`); null: `none`. */
  readonly maxTxFee: string | null
  /** Signers on this chain whose policy has a lower limit of its own: nothing above it is signed. */
  readonly caps: readonly ({
    /** Check-summed address. */
    readonly address: `0x${string}`
    readonly maxFeePerGas: string | null
    readonly maxTxFee: string | null
  })[]
}

export interface FillList {
  readonly items: readonly Transaction[]
}

export interface History {
  readonly items: readonly Event[]
  /** Pass as `after` to go on; null at the end. */
  readonly next: number | null
}

export interface Lane {
  readonly chainId: number
  /** Check-summed address. */
  readonly address: `0x${string}`
  readonly label: string | null
  readonly paused: boolean
  readonly policy: {
    readonly preset: 'stable' | 'fast'
    /** Transactions that hold a slot at one time; `auto`: as many as the chain's nodes keep. */
    readonly maxInFlight: number | 'auto'
    readonly slotHeldUntil: 'mined' | 'final'
    /** Most transactions that are mined and not final. */
    readonly maxUnfinal: number
    readonly resubmitIntervalMs: number
    readonly stuckAfterMs: number
    readonly maxSubmitAttempts: number
    /** `on_order`: only where an operator or the stuck hook says so; `automatic`: also by itself. */
    readonly mayReplace: 'never' | 'on_order' | 'automatic'
    readonly bumpAfterMs: number
    readonly onDeferral: 'hold' | 'pass_over'
    /** Wei; below it the balance is low. Null: no such limit. */
    readonly lowBalance: string | null
    /** The balance is low when it pays for fewer transactions than this. Null: no such limit. */
    readonly lowRunway: number | null
    readonly externalUse: boolean
    readonly onForeignNonce: 'stuck' | 'requeue'
    readonly gasLimitPercent: number
    readonly maxFeePerGas: string | null
    /** Most that a transaction may cost in fees; null: the chain's `maxTxFee` alone. */
    readonly maxTxFee: string | null
    /** Null: the rule of the chain. */
    readonly finality: number | 'safe' | 'finalized' | null
  }
  /** Null until the first nonce is taken. */
  readonly nextNonce: number | null
  readonly queued: number
  readonly inFlight: number
  readonly stuck: number
  /** Nonces that are lent to callers who sign themselves. */
  readonly reserved: number
  /** Nonces that came back; they are used before any new one. */
  readonly free: number
  /** Reserved nonces for which an alarm was raised. */
  readonly stuckReserved: number
  /** The lowest lent nonce that is in no block: everything above it waits for it. */
  readonly lowestReserved: {
    /** Null, like who holds it, where it is another tenant's. */
    readonly reservationId: string | null
    readonly nonce: number
    /** Free again then, unless it is used or extended. */
    readonly lockedUntil: string
    readonly tenant: string | null
    /** The API key that it was made with: name and id. */
    readonly holder: string | null
    /** Its holder says that a transaction was sent with it. */
    readonly isUsed: boolean
    /** The latest that the holder named. */
    readonly hash: `0x${string}` | null
    /** An operator ordered an empty transaction in its place. */
    readonly isFilling: boolean
    readonly alarm: 'unknown_hash' | 'not_mined' | 'not_used' | null
  } | null
  /** As the owner of the lane last read it; null until it has. */
  readonly balance: {
    /** Whole number as a decimal string. */
    readonly wei: string
    /** ISO 8601, UTC. */
    readonly at: string
    /** What one transaction takes from the account: the recent average of this lane, value included; before its first one, a plain transfer at the price of the moment. */
    readonly txCost: string | null
    /** How many such transactions it still pays for. Null: not known, or they cost nothing. */
    readonly runway: number | null
    /** Below `lowRunway` or `lowBalance` of the policy. */
    readonly isLow: boolean
  } | null
  /** What the chain counts, as the owner of the lane last saw it; null until it looked. */
  readonly chain: {
    /** Transactions of the account up to the latest block: the next nonce on chain. */
    readonly latest: number
    /** The same, with those in the RPC node's pool. */
    readonly pending: number
    /** 0: the cursor fits. Below zero: the chain is past it, so something else uses the key. Above: so many nonces below it are neither used nor held. */
    readonly drift: number
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** What keeps the lane from its work, or soon will; the worst first. */
  readonly problems: readonly ({
    /** Stable: programs may act on it. */
    readonly code: 'no_owner' | 'owner_silent' | 'foreign_nonce' | 'stuck' | 'out_of_funds' | 'fee_above_cap' | 'blocked_by_reservation' | 'balance_low'
    readonly level: 'bad' | 'warn'
    /** What is wrong. For people; may change. */
    readonly message: string
    /** What to do about it. For people; may change. */
    readonly action: string
    /** ISO 8601, UTC. */
    readonly since: string
    /** The first transaction that it concerns. */
    readonly transactionId: string | null
    readonly reservationId: string | null
  })[]
  /** How far the lane sends ahead, as its owner found it; null until one ran it. */
  readonly window: {
    /** How many unmined transactions may be out now. */
    readonly size: number
    readonly reason: 'start' | 'all_kept' | 'at_limit' | 'pool_full' | 'dropped' | 'nonce_gap' | 'delegated'
    /** What nodes kept when it was last too much; null: they kept all. */
    readonly ceiling: number | null
    /** ISO 8601, UTC. */
    readonly since: string
  } | null
  /** When a transaction of the lane was last found final. */
  readonly lastConfirmationAt: string | null
  /** When a transaction of the lane was last found in a block. */
  readonly lastNonceMovementAt: string | null
  /** The node that advances the lane; null if none ever did. */
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
  /** May be left out where the signer is registered on one chain. */
  readonly chainId?: number
  /** Why; kept with who did it. */
  readonly reason: string
}

export interface NewApiKey {
  /** Public: the part between `drv_` and the secret. */
  readonly id: string
  readonly name: string
  /** Whom it belongs to. */
  readonly tenant: string
  readonly scopes: readonly ('read' | 'send' | 'operate' | 'admin' | 'priority')[]
  /** Null: all. */
  readonly signers: readonly `0x${string}`[] | null
  /** Null: all. */
  readonly chains: readonly number[] | null
  readonly rate: {
    readonly perSecond: number
    readonly burst: number
  } | null
  /** Wei; the most that a transaction it sends may cost in fees. */
  readonly maxTxFee: string | null
  readonly expiresAt: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** To the minute or so. */
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
  /** The key itself, told only here: keep it now. */
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
    /** Switched off by somebody; answered 410; or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when nothing was delivered although it was tried. */
  readonly failingSince: string | null
  /** Events up to this one have their deliveries. */
  readonly plannedTo: number
  /** Until then the secret before this one signs too. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
  /** `whsec_` and base64, as Standard Webhooks has it; told only here: keep it now. */
  readonly secret: string
}

export interface Node {
  readonly id: string
  readonly address: string | null
  /** How many lanes it holds the lease of. */
  readonly lanes: number
  /** Chains whose RPC nodes answer it; it runs no lane of another while a peer can. Null where it does not say. */
  readonly chains: readonly number[] | null
  /** The node that gave this answer. */
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
  /** Check-summed address. */
  readonly address: `0x${string}`
  readonly state: 'REQUESTED' | 'CANCELLING' | 'DONE' | 'REFUSED'
  readonly actor: string
  readonly reason: string
  /** The cursor before; null where there was none. */
  readonly fromNonce: number | null
  /** The cursor after: the chain's count. */
  readonly toNonce: number | null
  /** What stood in the way. */
  readonly refusal: string | null
  /** Everything in flight is cancelled before the cursor moves. */
  readonly cancelsInFlight: boolean
  /** Null for a plain reset, and until the owner of the lane has begun. */
  readonly progress: {
    /** Transactions that the order is about. */
    readonly total: number
    readonly cancelled: number
    /** Mined before their cancel was, for instance. */
    readonly endedOtherwise: number
    readonly left: number
  } | null
  /** ISO 8601, UTC. */
  readonly requestedAt: string
  readonly answeredAt: string | null
}

export interface OperatorRequest {
  /** Why; kept with who did it. */
  readonly reason: string
}

export interface Problem {
  /** urn:drover:error: and the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  /** What is wrong here, and what to do about it. */
  readonly detail: string
  /** Stable: programs may act on it. */
  readonly code: 'invalid_request' | 'not_found' | 'unauthorized' | 'forbidden' | 'rate_limited' | 'tenant_limit' | 'overloaded' | 'misdirected_request' | 'method_not_allowed' | 'unknown_chain' | 'unknown_signer' | 'signer_exists' | 'idempotency_conflict' | 'transaction_rejected' | 'action_forbidden' | 'not_lock_owner' | 'reservation_expired' | 'queue_full' | 'too_many_waiting' | 'chain_unavailable' | 'database_unavailable' | 'webhook_limit' | 'too_many_streams' | 'payload_too_large' | 'headers_too_large' | 'request_timeout' | 'unsupported_media_type' | 'internal'
  /** Path of the part of the request at fault. */
  readonly field?: string
  /** Decoded revert reason, or the node's own words. */
  readonly reason?: string
  readonly retryAfterMs?: number
  /** At most 20 in one answer. */
  readonly issues?: readonly ({
    readonly field: string
    readonly message: string
  })[]
  /** How many issues there are besides those listed. */
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
  /** Gas used at the effective price, in wei; without what a rollup adds for its L1 data. */
  readonly fee: string
  readonly contractAddress: `0x${string}` | null
  /** Only with `include=logs`; at most 1,000, in the order of the block. */
  readonly logs?: readonly ({
    /** Check-summed address. */
    readonly address: `0x${string}`
    readonly topics: readonly `0x${string}`[]
    readonly data: `0x${string}`
    /** Place within the block. */
    readonly logIndex: number
  })[]
  /** How many logs it has in all; only with `include=logs`. */
  readonly logCount?: number
}

export interface ReleaseNonceRequest {
  /** The proof that the reservation was made with; whoever has it may act for the holder. */
  readonly lockOwner: string
}

export interface Reservation {
  readonly id: string
  readonly chainId: number
  /** Check-summed address. */
  readonly address: `0x${string}`
  readonly state: 'REQUESTED' | 'RESERVED' | 'USED' | 'RELEASED' | 'EXPIRED'
  /** Null until the owner of the lane has lent one. */
  readonly nonce: number | null
  /** Use it before this, by the clock of the database. Without a nonce: after this none is wanted any more. */
  readonly lockedUntil: string
  readonly ttlMs: number
  /** Whose it is; empty where the service has no API keys. */
  readonly tenant: string
  /** The API key that it was made with: name and id. */
  readonly holder: string | null
  readonly label: string | null
  readonly requestId: string | null
  /** The one that is included, else the latest that the holder named. */
  readonly hash: `0x${string}` | null
  /** All that the holder named, oldest first. */
  readonly hashes: readonly `0x${string}`[]
  readonly inclusion: {
    readonly transactionHash: `0x${string}`
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
    readonly succeeded: boolean
  } | null
  /** How the nonce ended on chain; `foreign`: by a transaction that the holder did not name. */
  readonly result: 'succeeded' | 'reverted' | 'foreign' | null
  /** Raised after `stuckAfter`. `unknown_hash`: no RPC node knows what was sent; `not_mined`, `not_used`: others wait for it. */
  readonly alarm: {
    readonly cause: 'unknown_hash' | 'not_mined' | 'not_used'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** When an operator ordered an empty transaction for its nonce. Whichever is mined uses it. */
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
  /** The proof to act on them with. Keep it: it is told once. Null where it was told with the first answer. */
  readonly lockOwner: string | null
}

export interface ReservationPage {
  readonly items: readonly ({
    readonly nonce: number | null
    /** Null: the nonce is taken by another tenant's reservation. */
    readonly reservation: Reservation | null
  })[]
  /** Pass as `after` for the next page; null at the end. */
  readonly next: string | null
}

export interface ReservationRequest {
  /** May be left out where the signer is registered on one chain. */
  readonly chainId?: number
  /** How long the nonce stays lent without being used, in milliseconds. Left out: `reservationTtl` of the service, one minute by default. At most its `reservationMaxTtl`, ten minutes by default. */
  readonly ttlMs?: number
  /** How many nonces; they need not be consecutive. */
  readonly count?: number
  /** The same again gives the same reservations. */
  readonly requestId?: string
  readonly label?: string
  /** A proof of your own, not to be guessed: with it and a requestId a lost answer can be asked for again. Left out, one is made up and told once. */
  readonly lockOwner?: string
}

export interface ResetRequest {
  /** May be left out where the signer is registered on one chain. */
  readonly chainId?: number
  /** Why; kept with who did it. */
  readonly reason: string
  /** Cancel everything that is in flight first, as one order. Transactions in line stay there and take no nonce until it is over. */
  readonly cancelInFlight?: boolean
}

export interface ResolveRequest {
  /** Why; kept with who did it. */
  readonly reason: string
  /** The transaction that used the nonce. May be left out: Drover finds it. Either way it must be final and do what this one was to do. */
  readonly hash?: string
}

export interface Signer {
  /** Check-summed address. */
  readonly address: `0x${string}`
  readonly lanes: readonly Lane[]
  /** The latest resets of its cursors, newest first. */
  readonly resets: readonly NonceReset[]
}

export interface SignerChange {
  /** May be left out where the signer is registered on one chain. */
  readonly chainId?: number
  /** Null takes it away. */
  readonly label?: string | null
  readonly policy?: {
    /** Sets all that the presets differ in; fields that are given as well come on top of it. */
    readonly preset?: 'stable' | 'fast'
    /** Transactions that hold a slot at one time; `auto`: as many as the chain's nodes keep. */
    readonly maxInFlight?: number | 'auto'
    readonly slotHeldUntil?: 'mined' | 'final'
    /** Most transactions that are mined and not final. */
    readonly maxUnfinal?: number
    readonly resubmitIntervalMs?: number
    readonly stuckAfterMs?: number
    readonly maxSubmitAttempts?: number
    /** Whether another transaction may take the place of a sent one. `on_order`: only where an operator or the stuck hook says so; `automatic`: also by itself. `true` is read as `automatic`, `false` as `never`. */
    readonly mayReplace?: 'never' | 'on_order' | 'automatic' | boolean
    readonly bumpAfterMs?: number
    readonly onDeferral?: 'hold' | 'pass_over'
    /** Wei; below it a warning; null: none. */
    readonly lowBalance?: AmountInput | null
    /** A warning when the balance pays for fewer transactions than this; null: none. */
    readonly lowRunway?: number | null
    readonly externalUse?: boolean
    readonly onForeignNonce?: 'stuck' | 'requeue'
    readonly gasLimitPercent?: number
    /** Wei; null: no cap. */
    readonly maxFeePerGas?: AmountInput | null
    /** Wei; no transaction may cost more than this in fees (gas limit times price per gas). The chain's `maxTxFee` counts as well, whichever is lower. Null: the chain's alone. */
    readonly maxTxFee?: AmountInput | null
    /** Null: the rule of the chain. */
    readonly finality?: number | 'safe' | 'finalized' | null
  }
}

export interface SignerRegistration {
  readonly chainId: number
  /** Its key must be among those that this service holds. */
  readonly address: string
  readonly label?: string | null
  /** What differs from the policy that the configuration gives it. */
  readonly policy?: {
    /** Sets all that the presets differ in; fields that are given as well come on top of it. */
    readonly preset?: 'stable' | 'fast'
    /** Transactions that hold a slot at one time; `auto`: as many as the chain's nodes keep. */
    readonly maxInFlight?: number | 'auto'
    readonly slotHeldUntil?: 'mined' | 'final'
    /** Most transactions that are mined and not final. */
    readonly maxUnfinal?: number
    readonly resubmitIntervalMs?: number
    readonly stuckAfterMs?: number
    readonly maxSubmitAttempts?: number
    /** Whether another transaction may take the place of a sent one. `on_order`: only where an operator or the stuck hook says so; `automatic`: also by itself. `true` is read as `automatic`, `false` as `never`. */
    readonly mayReplace?: 'never' | 'on_order' | 'automatic' | boolean
    readonly bumpAfterMs?: number
    readonly onDeferral?: 'hold' | 'pass_over'
    /** Wei; below it a warning; null: none. */
    readonly lowBalance?: AmountInput | null
    /** A warning when the balance pays for fewer transactions than this; null: none. */
    readonly lowRunway?: number | null
    readonly externalUse?: boolean
    readonly onForeignNonce?: 'stuck' | 'requeue'
    readonly gasLimitPercent?: number
    /** Wei; null: no cap. */
    readonly maxFeePerGas?: AmountInput | null
    /** Wei; no transaction may cost more than this in fees (gas limit times price per gas). The chain's `maxTxFee` counts as well, whichever is lower. Null: the chain's alone. */
    readonly maxTxFee?: AmountInput | null
    /** Null: the rule of the chain. */
    readonly finality?: number | 'safe' | 'finalized' | null
  }
}

export interface TakeBackRequest {
  /** May be left out where the signer is registered on one chain. */
  readonly chainId?: number
  /** Why; kept with who did it. */
  readonly reason: string
  /** Only this one. */
  readonly reservationId?: string
  /** Only those of this tenant. */
  readonly tenant?: string
  /** Only those that were made with this API key. */
  readonly keyId?: string
}

export interface TakenReservations {
  readonly items: readonly ({
    readonly reservation: Reservation
    readonly outcome: 'released' | 'filled' | 'left'
    /** Why it was left. */
    readonly why: string | null
  })[]
}

export interface Transaction {
  readonly id: string
  readonly chainId: number
  /** Check-summed address. */
  readonly from: `0x${string}`
  readonly to: `0x${string}` | null
  readonly data: `0x${string}`
  /** Whole number as a decimal string. */
  readonly value: string
  /** Null until it is estimated. */
  readonly gasLimit: string | null
  /** The price that was asked for; null, the whole or a field: the market at `speed`. */
  readonly fees: {
    readonly maxFeePerGas: string | null
    readonly maxPriorityFeePerGas: string | null
  } | {
    readonly gasPrice: string | null
  } | null
  readonly speed: 'slow' | 'standard' | 'fast'
  readonly priority: number
  readonly validUntil: string | null
  readonly nonce: number | null
  readonly state: 'QUEUED' | 'ALLOCATED' | 'TRACKING' | 'CONFIRMED' | 'FAILED_FINAL' | 'STUCK' | 'CANCELLED' | 'EXPIRED'
  readonly subState: 'accepted' | 'preparing' | 'waiting_for_slot' | 'waiting_for_node' | 'waiting_for_predecessor' | 'waiting_for_funds' | 'fee_above_cap' | 'signed' | 'pending' | 'preconfirmed' | 'stale' | 'rejected_by_node' | 'making_way' | 'blocked_by_predecessor' | 'mined' | 'reorged' | 'suspended' | 'rejected' | 'final' | 'cancelled' | 'expired' | 'replaced' | 'foreign_nonce' | 'no_inclusion' | 'resolved'
  /** Of the attempt that is included, else of the newest. */
  readonly hash: `0x${string}` | null
  /** Of every attempt ever signed for it, oldest first. */
  readonly hashes: readonly `0x${string}`[]
  /** How many byte strings were signed for it. */
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
    /** Gas used at the effective price, in wei; without what a rollup adds for its L1 data. */
    readonly fee: string
    readonly contractAddress: `0x${string}` | null
  } | null
  readonly inclusion: {
    readonly blockNumber: number
    readonly blockHash: `0x${string}`
  } | null
  readonly confirmations: {
    /** Blocks on top of the inclusion, as this node sees the chain now. */
    readonly count: number
    /** Confirmations that are needed, or the block tag that has to reach the inclusion. */
    readonly required: number | 'safe' | 'finalized'
    /** How often the blocks under it were replaced. */
    readonly newForks: number
  }
  readonly error: {
    readonly code: string
    readonly message: string
    readonly reason?: string
    /** What the contract returned as it reverted. */
    readonly revertData?: `0x${string}`
  } | null
  /** The call was tried out before it was accepted. False where the request asked for no simulation, or no RPC node could run it in time; it is tried out again before it takes a nonce. */
  readonly simulated: boolean
  readonly requestId: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** An operator holds it back. */
  readonly suspended: boolean
  /** How often its bytes were sent under the nonce that it has. */
  readonly submitCount: number
  /** When a node first took its bytes. */
  readonly submittedAt: string | null
  /** When its bytes were last sent. */
  readonly lastSubmitAt: string | null
  /** When its bytes are sent again, unless a block has it by then; null where they are not. */
  readonly nextResubmitAt: string | null
  readonly stuckAt: string | null
  readonly minedAt: string | null
  readonly finalAt: string | null
  /** Number of the lease under which the nonce was taken. */
  readonly fence: number | null
  /** Node that took the nonce. */
  readonly node: string | null
}

export interface TransactionBatch {
  /** As many as there were transactions, in the same order. */
  readonly results: readonly ({
    /** 200: the same request was accepted before. */
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
  /** Pass as `after` to go on; null at the end. */
  readonly next: string | null
}

export interface TransactionRequest {
  /** May be left out where the service follows one chain. */
  readonly chainId?: number
  /** A registered signer. */
  readonly from: string
  /** Left out or null: deploys a contract. */
  readonly to?: string | null
  /** 0x-hex, whole bytes, at most 130560 bytes. */
  readonly data?: string
  /** A contract call to be encoded by the service, in place of `data`. */
  readonly call?: {
    /** Human-readable signature. */
    readonly function: string
    /** Its arguments; integers as strings. */
    readonly args?: readonly unknown[]
  }
  /** Wei; 0 if left out. */
  readonly value?: AmountInput
  /** Left out: estimated. */
  readonly gasLimit?: AmountInput
  /** Either maxFeePerGas and maxPriorityFeePerGas, or gasPrice; in wei. Left out: market price. */
  readonly fees?: {
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly maxFeePerGas?: AmountInput
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly maxPriorityFeePerGas?: AmountInput
    /** Whole number: decimal string, 0x-hex string, or a JSON number up to 2^53 - 1. */
    readonly gasPrice?: AmountInput
  }
  /** Storage that is declared in advance, as in EIP-2930. */
  readonly accessList?: readonly ({
    /** Address in any case; mixed case must carry a right checksum. */
    readonly address: string
    readonly storageKeys: readonly string[]
  })[]
  readonly speed?: 'slow' | 'standard' | 'fast'
  /** Higher goes first within the signer. */
  readonly priority?: number
  /** After it no nonce is taken any more. */
  readonly validUntil?: string
  /** Idempotency key: the same key and body again give the same transaction. */
  readonly requestId?: string
  /** Confirmations that are needed, or the block tag that has to reach the inclusion. */
  readonly finality?: number | 'safe' | 'finalized'
  /** False: accepted without being tried out first. */
  readonly simulate?: boolean
  /** Text that is kept with the transaction and returned with it; up to 32 entries. */
  readonly metadata?: Readonly<Record<string, string>>
}

export interface UseNonceRequest {
  /** The proof that the reservation was made with; whoever has it may act for the holder. */
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
    /** Switched off by somebody; answered 410; or nothing could be delivered for a long time. */
    readonly reason: 'operator' | 'gone' | 'failing'
    /** ISO 8601, UTC. */
    readonly at: string
  } | null
  /** Since when nothing was delivered although it was tried. */
  readonly failingSince: string | null
  /** Events up to this one have their deliveries. */
  readonly plannedTo: number
  /** Until then the secret before this one signs too. */
  readonly previousSecretUntil: string | null
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly createdBy: string
}

export interface WebhookChange {
  /** Where events are posted to. https, and no private address, unless the service allows it. */
  readonly url?: string
  readonly description?: string | null
  /** Only events of these types; null: all. */
  readonly types?: readonly string[] | null
  /** Only events of this chain; null: of all. */
  readonly chainId?: number | null
  /** Only events of this signer; null: of all. */
  readonly from?: string | null
  /** Only the one event of each transaction that made it final. */
  readonly completions?: boolean
  /** `false` stops it; `true` goes on where it stood, with all that it has missed. */
  readonly enabled?: boolean
  /** A new secret, told in this answer only; the old one signs beside it for a while. */
  readonly rotateSecret?: true
}

export interface WebhookList {
  readonly items: readonly Webhook[]
}

export interface WebhookRequest {
  /** Where events are posted to. https, and no private address, unless the service allows it. */
  readonly url: string
  readonly description?: string | null
  /** Only events of these types; null: all. */
  readonly types?: readonly string[] | null
  /** Only events of this chain; null: of all. */
  readonly chainId?: number | null
  /** Only events of this signer; null: of all. */
  readonly from?: string | null
  /** Only the one event of each transaction that made it final. */
  readonly completions?: boolean
  /** The last event that it is not told of; 0: it is told of all; null: of those from now on. */
  readonly after?: number | null
}

export interface Operations {
  /** Accept an intent: it is durable when the answer comes. */
  'POST /v1/transactions': {
    readonly params: undefined
    readonly query: {
      /** Hold the answer until the transaction has come this far. The header `Drover-Wait` of the answer then says `reached`, `ended` (it is final otherwise, or stuck), `timeout` or `stopping` (ask again). */
      readonly wait?: 'submitted' | 'mined' | 'confirmed'
      /** With `wait`: after this the transaction is answered as it is; 30000 if left out. */
      readonly timeoutMs?: number
    }
    readonly body: TransactionRequest
    readonly answer: Transaction
  }
  /** List transactions in the order of acceptance, filtered, page by page. */
  'GET /v1/transactions': {
    readonly params: undefined
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Address in any case; mixed case must carry a right checksum. */
      readonly from?: string
      /** One or more states, separated by commas. */
      readonly state?: string
      /** Address in any case; mixed case must carry a right checksum. */
      readonly to?: string
      /** Idempotency key: the same key and body again give the same transaction. */
      readonly requestId?: string
      /** Only with a request id that begins so. */
      readonly requestIdPrefix?: string
      /** Only with this pair in their metadata. */
      readonly metadata?: string
      /** Transaction hash: 0x and 64 hex digits. */
      readonly hash?: string
      /** Whole number from 0 to 9007199254740991. */
      readonly nonce?: number
      /** Accepted at or after this time. */
      readonly since?: string
      /** Accepted before this time. */
      readonly until?: string
      /** `asc`: oldest first; `desc`: newest first. */
      readonly order?: 'asc' | 'desc'
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` of the page before. */
      readonly after?: string
    }
    readonly body: undefined
    readonly answer: TransactionPage
  }
  /** Accept up to 1,000 intents; a result for each, in order. */
  'POST /v1/transactions/batch': {
    readonly params: undefined
    readonly query: undefined
    readonly body: TransactionBatchRequest
    readonly answer: TransactionBatch
  }
  /** Show a transaction, at once or when it has come as far as you wait for. */
  'GET /v1/transactions/{id}': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** Hold the answer until the transaction has come this far. The header `Drover-Wait` of the answer then says `reached`, `ended` (it is final otherwise, or stuck), `timeout` or `stopping` (ask again). */
      readonly wait?: 'submitted' | 'mined' | 'confirmed'
      /** With `wait`: after this the transaction is answered as it is; 30000 if left out. */
      readonly timeoutMs?: number
    }
    readonly body: undefined
    readonly answer: Transaction
  }
  /** Show what happened to a transaction, page by page. */
  'GET /v1/transactions/{id}/history': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** `asc`: oldest first; `desc`: newest first. */
      readonly order?: 'asc' | 'desc'
      /** `next` of the page before. */
      readonly after?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: History
  }
  /** List the attempts of a transaction, signed bytes included. */
  'GET /v1/transactions/{id}/attempts': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: AttemptList
  }
  /** Show the blocks on top of a transaction. */
  'GET /v1/transactions/{id}/confirmations': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Confirmations
  }
  /** Show the receipt of a transaction, with its logs if asked for. */
  'GET /v1/transactions/{id}/receipt': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: {
      /** `logs`: with what it logged, read from a node at this moment. */
      readonly include?: 'logs'
    }
    readonly body: undefined
    readonly answer: Receipt
  }
  /** Say why a transaction is where it is, what comes next, and what can be done. */
  'GET /v1/transactions/{id}/explain': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Explanation
  }
  /** Hold a transaction back: no nonce is taken for it and nothing is sent. */
  'POST /v1/transactions/{id}/suspend': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Let a transaction that is held back go on. */
  'POST /v1/transactions/{id}/resume': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Try again at once what waits or is stuck, with the same bytes. */
  'POST /v1/transactions/{id}/retry': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Sign a sent transaction again at a higher price; whichever is mined counts. */
  'POST /v1/transactions/{id}/speed-up': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** Drop a transaction that has no nonce yet, or put an empty one in the place of one that has. */
  'POST /v1/transactions/{id}/cancel': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** End a stuck transaction as the final transaction that used its nonce ended, if that did the same. */
  'POST /v1/transactions/{id}/resolve': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ResolveRequest
    readonly answer: Transaction
  }
  /** Give a transaction a new nonce, where another transaction used the one that it had and did something else. */
  'POST /v1/transactions/{id}/requeue': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** End a transaction as CANCELLED, where another transaction used its nonce and did something else. */
  'POST /v1/transactions/{id}/close': {
    readonly params: {
      /** Id of the transaction, or the hash of any of its attempts. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: OperatorRequest
    readonly answer: Transaction
  }
  /** List the signers, one entry for each chain. */
  'GET /v1/signers': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: LaneList
  }
  /** Register a signer on one chain, whose key this service holds. */
  'POST /v1/signers': {
    readonly params: undefined
    readonly query: undefined
    readonly body: SignerRegistration
    readonly answer: Lane
  }
  /** Show a signer on all its chains. */
  'GET /v1/signers/{address}': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Signer
  }
  /** Change the label or the policy of a signer on one chain. */
  'PATCH /v1/signers/{address}': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: SignerChange
    readonly answer: Lane
  }
  /** Take no more nonces for a signer; what is in flight goes on. */
  'POST /v1/signers/{address}/pause': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: Lane
  }
  /** Take nonces for a signer again. */
  'POST /v1/signers/{address}/resume': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: Lane
  }
  /** Put a signer's next nonce where the chain's count is; where asked, after cancelling all that is in flight. */
  'POST /v1/signers/{address}/reset-nonce': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: ResetRequest
    readonly answer: NonceReset
  }
  /** Show an order to reset a nonce, with how many transactions are cancelled and left. */
  'GET /v1/signers/{address}/resets/{id}': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
      /** Id of a reset. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: NonceReset
  }
  /** Close gaps below nonces that were given out, with empty transactions to the signer itself. */
  'POST /v1/signers/{address}/fill-gap': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: LaneRequest
    readonly answer: FillList
  }
  /** Reserve nonces of a signer, to sign with them yourself. */
  'POST /v1/signers/{address}/nonces': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: ReservationRequest
    readonly answer: ReservationList
  }
  /** List the open reservations of a signer, lowest nonce first. */
  'GET /v1/signers/{address}/nonces': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** `next` of the page before. */
      readonly after?: string
    }
    readonly body: undefined
    readonly answer: ReservationPage
  }
  /** Take reserved nonces back: unused ones are free again, those whose transaction no RPC node knows are filled. */
  'POST /v1/signers/{address}/nonces/release': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: TakeBackRequest
    readonly answer: TakenReservations
  }
  /** Use up reserved nonces with empty transactions, unless an RPC node knows the transaction of the holder. */
  'POST /v1/signers/{address}/nonces/fill': {
    readonly params: {
      /** Address in any case; mixed case must carry a right checksum. */
      readonly address: string
    }
    readonly query: undefined
    readonly body: TakeBackRequest
    readonly answer: TakenReservations
  }
  /** Show a reservation and what became of its nonce. */
  'GET /v1/nonces/{id}': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Reservation
  }
  /** Say which transaction was sent with a reserved nonce; it is then followed to finality. */
  'POST /v1/nonces/{id}/use': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: UseNonceRequest
    readonly answer: Reservation
  }
  /** Keep a reserved nonce for longer. */
  'POST /v1/nonces/{id}/extend': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ExtendNonceRequest
    readonly answer: Reservation
  }
  /** Give a reserved nonce back; nothing may have been sent with it. */
  'POST /v1/nonces/{id}/release': {
    readonly params: {
      /** Id of the reservation. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: ReleaseNonceRequest
    readonly answer: Reservation
  }
  /** Read events in order, from a cursor on. */
  'GET /v1/events': {
    readonly params: undefined
    readonly query: {
      /** `next` of the page before. */
      readonly after?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
      /** Only events of these types: 1 to 50, separated by commas. */
      readonly types?: string
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId?: number
      /** Address in any case; mixed case must carry a right checksum. */
      readonly from?: string
      /** `true`: only the one event of each transaction that made it final. */
      readonly completions?: 'true' | 'false'
    }
    readonly body: undefined
    readonly answer: EventPage
  }
  /** Have events posted to a URL, signed as Standard Webhooks has it. */
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
  /** Change a webhook, switch it off or on, or give it a new secret. */
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
      /** Only those in this state. */
      readonly state?: 'PENDING' | 'DELIVERED' | 'FAILED'
      /** `next` of the page before. */
      readonly before?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: DeliveryPage
  }
  /** Send a delivery once more, now, under the same id. */
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
  /** Send an event of the type webhook.test, to see whether it arrives. */
  'POST /v1/webhooks/{id}/test': {
    readonly params: {
      /** Id of a webhook. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Delivery
  }
  /** List the chains. */
  'GET /v1/chains': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ChainList
  }
  /** Read confirmed blocks in order, from a cursor on. */
  'GET /v1/chains/{chainId}/blocks': {
    readonly params: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId: number
    }
    readonly query: {
      /** `next` of the page before; left out: from the lowest block that is here. */
      readonly after?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: BlockPage
  }
  /** Show what gas costs on a chain now, and what would be offered at each speed. */
  'GET /v1/chains/{chainId}/fees': {
    readonly params: {
      /** Whole number from 1 to 9007199254740991. */
      readonly chainId: number
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: Fees
  }
  /** List the live nodes. */
  'GET /v1/nodes': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: NodeList
  }
  /** List the API keys, newest first, without their secrets. */
  'GET /v1/api-keys': {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly answer: ApiKeyList
  }
  /** Make an API key; from the first one on, every call needs one. */
  'POST /v1/api-keys': {
    readonly params: undefined
    readonly query: undefined
    readonly body: ApiKeyRequest
    readonly answer: NewApiKey
  }
  /** Revoke an API key: it opens nothing on any node from the moment of the answer. */
  'DELETE /v1/api-keys/{id}': {
    readonly params: {
      /** Id of the key. */
      readonly id: string
    }
    readonly query: undefined
    readonly body: undefined
    readonly answer: ApiKey
  }
  /** Read who changed what, newest first. */
  'GET /v1/audit': {
    readonly params: undefined
    readonly query: {
      /** `next` of the page before. */
      readonly before?: number
      /** Whole number from 1 to 200. */
      readonly limit?: number
    }
    readonly body: undefined
    readonly answer: AuditPage
  }
  /** Compute the hashes of the audit anew, 20000 entries at a time. */
  'GET /v1/audit/check': {
    readonly params: undefined
    readonly query: {
      /** `last.id` of the check before, to go on from there. */
      readonly after?: number
    }
    readonly body: undefined
    readonly answer: AuditCheck
  }
}
