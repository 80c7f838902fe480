/**
 * How nodes word a refused transaction. The first pattern that matches decides, so what is more specific stands first:
 * a contract's own revert text may contain any other text, "replacement transaction underpriced" contains "transaction
 * underpriced", and "unknown transaction" contains "known transaction".
 */
export type SendErrorClass =
  | 'already_known'
  | 'already_mined'
  | 'nonce_too_low'
  | 'nonce_too_high'
  /** Too low or too high, and only the numbers in the text (if any) tell which. */
  | 'nonce_mismatch'
  | 'nonce_exhausted'
  | 'replacement_underpriced'
  | 'superseded'
  | 'underpriced_pool_floor'
  | 'fee_below_base'
  | 'node_fee_cap_exceeded'
  | 'insufficient_funds'
  | 'pool_full'
  | 'account_queue_full'
  | 'account_reserved'
  | 'gas_limit'
  | 'gas_too_low'
  | 'oversized'
  | 'fee_fields'
  | 'wrong_chain'
  | 'unsupported_type'
  /** Cannot be read, is not signed by anybody, or holds numbers that no chain has. */
  | 'malformed'
  | 'not_permitted'
  /** Refused for good by this node, for a reason that another one may not share. */
  | 'refused'
  | 'revert'
  | 'revert_or_funds'
  | 'terminally_stuck'
  | 'retry_same_bytes'
  | 'rate_limited'
  | 'node_unavailable'
  | 'timeout'
  | 'read_retry'

export const SEND_ERROR_PATTERNS: readonly (readonly [SendErrorClass, RegExp])[] = [
  // A contract's revert text may look like any pattern below.
  ['revert', /execution reverted|reverted with (reason|an unrecognized|panic|custom)|vm exception while processing/i],
  ['revert', /invalid opcode/i],
  ['revert_or_funds', /gas required exceeds allowance/i],

  ['already_known', /(?<!not )already known|\balreadyknown\b/i],
  ['already_known', /(?<!un)known transaction/i],
  ['already_known', /existing tx with same hash/i],
  ['already_known', /already imported|pool\(alreadyimported/i],
  ['already_known', /tx already exists in cache|tx already in mempool|already in the txpool/i],
  ['already_mined', /transaction already finalized/i],

  // Delegation (EIP-7702): the authority's nonce is not the transaction's.
  ['refused', /authority nonce too low/i],
  ['account_reserved', /(address|authority) already reserved/i],
  ['account_reserved', /can't replace blob-txn with a non-blob-txn|pending transaction type conflict/i],
  ['account_reserved', /delegation authority has pending transaction/i],
  ['nonce_too_high', /gapped-nonce tx from delegated accounts|delegation nonce gap/i],
  ['account_queue_full', /in-flight transaction limit reached for delegated accounts/i],
  ['refused', /set code tx must have at least one authorization tuple/i],

  ['retry_same_bytes', /insertion of another transaction with the same nonce is in progress/i],
  ['superseded', /replaced by transaction with higher tip/i],
  ['replacement_underpriced', /replacement transaction underpriced|replacement gas too low/i],
  ['replacement_underpriced', /could not replace existing tx/i],
  ['replacement_underpriced', /insufficient gas price to replace existing transaction/i],
  ['replacement_underpriced', /\bownnoncealreadyused\b|\breplacementnotallowed\b/i],
  ['replacement_underpriced', /there is another (transaction|tx which has the|tx) (with )?same nonce/i],
  ['replacement_underpriced', /already in mpool, increase gaspremium/i],

  ['nonce_exhausted', /nonce has max value/i],
  ['nonce_too_low', /nonce (is )?too low|\boldnonce\b|pool\(stale\)|nonce has already been used/i],
  ['nonce_too_high', /nonce (is )?too high|nonce too far in (the )?future|\bnoncegap\b|tx-nonce-too-high/i],
  ['nonce_too_high', /nonce is too distant from current sender nonce|exceeds next nonce|nonce out of range/i],
  ['nonce_too_high', /an invalid transaction with a lower nonce exists/i],
  ['nonce_mismatch', /invalid nonce; got \d+, expected \d+|invalid transaction nonce/i],

  ['node_fee_cap_exceeded', /tx fee \([\d.]+ [a-z]+\) exceeds the configured cap|transaction fee cap exceeded/i],
  ['fee_fields', /max priority fee per gas (higher than|exceeds) max fee per gas|tip higher than fee cap/i],
  ['fee_fields', /maxpriorityfeepergas \(\d+\) is bigger than maxfeepergas/i],
  ['fee_fields', /(max fee per gas|fee cap) higher than 2\^256-1/i],
  ['fee_fields', /max( priority)? fee per (gas|pubdata byte) higher than 2\^64-1/i],
  ['fee_fields', /invalid gas fee cap/i],

  ['fee_below_base', /(max fee per (blob )?gas|fee cap|gas price) less than block (base|blob gas) fee/i],
  ['fee_below_base', /gas price below current (blob )?base fee|transaction is outdated/i],
  ['fee_below_base', /block `blob_gas_price` is greater than tx-specified/i],
  ['fee_below_base', /transaction (gasprice|maxfeepergas) \(\d+\) is too low for the next block/i],
  ['fee_below_base', /gas price too low: \d+ wei, use at least/i],

  ['account_queue_full', /account limit exceeded|spammer/i],
  ['pool_full', /txpool is full|future transaction tries to replace pending|sub-pool is full/i],
  ['pool_full', /blobs limit in txpool is full|discarded outright due to pool size constraints/i],
  ['pool_full', /too many transactions in the queue|\bqueue full\b|pending tx pool full/i],
  ['pool_full', /dropped due to l2 congestion|(?<!block )gas limit reached/i],

  ['insufficient_funds', /insufficient (funds|balance) for|insufficient funds\b|\binsufficientfunds\b/i],
  ['insufficient_funds', /would cause overdraft|not enough (funds for gas|balance to cover)|enough funds to send tx/i],
  ['insufficient_funds', /enough balance to cover transaction costs|exceeds (transaction sender )?account balance/i],
  ['insufficient_funds', /insufficient_payer_balance|signer had insufficient balance/i],

  ['gas_limit', /exceeds (the )?(block gas limit|max transaction gas limit|transaction gas cap)/i],
  ['gas_limit', /gas limit (is )?too high|gas limit of transaction is greater than the allowed max/i],
  ['gas_limit', /\bgaslimitexceeded\b|supplied gas is beyond limit|transaction cost exceeds current gas limit/i],
  ['gas_too_low', /gas limit (is )?too low|gas uint64 overflow|\bgasuintoverflow\b/i],
  // "Too high" is what revm says of the cost, where others say "too low" of the limit; it says it of a limit above the block's too.
  ['gas_too_low', /intrinsic gas (too low|too high|exceeds gas limit)|insufficient gas for floor data gas cost/i],
  ['gas_too_low', /gas is too low\. there is not enough gas to cover|transaction requires at least \d+ gas but got/i],
  ['gas_limit', /not enough gas for transaction validation|failed to pay the fee to the operator/i],

  ['underpriced_pool_floor', /transaction underpriced|(^|: )underpriced$/i],
  ['underpriced_pool_floor', /gas price below (configured )?minimum|is below configured minimum gas price/i],
  ['underpriced_pool_floor', /priority fee below minimum required priority fee/i],
  ['underpriced_pool_floor', /\bfeetoolow(tocompete)?\b|fee too low|gas price too low|\binsufficient fee\b/i],
  ['underpriced_pool_floor', /node's minimal gas price|less than gas price minimum floor/i],
  ['underpriced_pool_floor', /unacceptable gas price|fair pubdata price too high/i],

  ['oversized', /oversized data|max initcode size exceeded|initcode too large|\brlptoolong\b|maxtxsizeexceeded/i],
  ['oversized', /transaction too large|transaction is too big|tx too large\. max size/i],
  ['oversized', /calldata of transaction is greater than the allowed max/i],

  ['wrong_chain', /invalid chain ?id|wrong chainid|signed for another chain/i],
  ['unsupported_type', /transaction type not (supported|valid)|unsupported transaction type|invalid transaction type/i],
  ['unsupported_type', /fork supporting this transaction type is not activated yet/i],

  ['not_permitted', /sender account not authorized|plugin has marked the transaction as invalid/i],
  ['not_permitted', /(sender|recipient|code) is banned in local queue|transaction is not permitted/i],
  ['not_permitted', /forbidden sender address|sender is not on the whitelist|address of transaction in blacklist/i],
  ['not_permitted', /contract deployer address .* is not in the allow list/i],

  ['malformed', /negative value|\bint256overflow\b|transaction cost overflow|invalid signature|\binvalid_signature\b/i],
  ['malformed', /\bfailedtoresolvesender\b|failed to recover sender|invalid rlp data|failed to decode transaction/i],
  ['refused', /invalid sender|sender (is )?not an eoa|\bsenderiscontract\b/i],
  ['refused', /blobless blob transaction|missing sidecar|too many blobs|blob limit exceeded|max number of blobs/i],
  ['refused', /unexpected sidecar version|kzg verification error|total blob gas too high/i],
  ['refused', /only replay-protected \(eip-155\) transactions|chainid is required/i],
  ['refused', /invalid message format|invalid shard|can't start a transaction from a non-account/i],
  ['refused', /failed to validate the transaction\. reason:|^invalid(, transaction hash is null)?$/i],

  ['terminally_stuck', /not enough .* counters to continue the execution|out of counters at node level/i],
  ['rate_limited', /compute units per second|request count exceeded|request rate limited|request limit reached/i],
  ['read_retry', /cannot query unfinalized data|filter not found/i],
  ['node_unavailable', /node is syncing|initial sync is still in progress|transaction pool not enabled/i],
  ['node_unavailable', /sequencer temporarily not available|not accepting transactions due to expected surplus/i],
  ['node_unavailable', /server shutting down|returns a null value for transaction/i],
  ['node_unavailable', /502 bad gateway|503 service|network is unreachable/i],
  ['node_unavailable', /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT/],
  ['timeout', /408 request timeout|i\/o timeout|context deadline exceeded/i],
  ['timeout', /ECONNRESET|ETIMEDOUT|EPIPE|socket hang up|fetch failed|UND_ERR_(SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT)/],
]
