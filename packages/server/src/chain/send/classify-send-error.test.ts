import { describe, expect, test } from 'vitest'
import type { RpcError } from '../rpc/rpc-error.ts'
import { classifySendError, type NodeAnswer } from './classify-send-error.ts'

const HASH = `0x${'5d2cbe'.repeat(10)}ab12`
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** Error codes and texts of known clients, by what they mean for the bytes. */
const RECORDED: Readonly<Record<string, readonly (readonly [client: string, code: number, words: string])[]>> = {
  already_known: [
    ['anvil', -32003, 'transaction already imported'],
    ['ethereumjs', -32602, `${HASH}: this transaction is already in the TxPool`],
    ['hardhat', -32000, `Known transaction: ${HASH}`],
    ['geth', -32000, 'already known'],
    [
      'geth<1.9.x / forks',
      -32000,
      'known transaction: 0x5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbeab12',
    ],
    ['erigon', -32000, 'ALREADY_EXISTS: already known'],
    ['erigon', -32000, 'INTERNAL_ERROR: existing tx with same hash'],
    ['nethermind / gnosis', -32000, 'AlreadyKnown'],
    ['besu', -32000, 'Known transaction'],
    ['reth pool / anvil', -32000, 'already imported'],
    ['parity/openethereum', -32000, 'Transaction with the same hash was already imported'],
    [
      'zksync',
      -32000,
      'known transaction. transaction with hash 0x5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbeab12 is already in the system',
    ],
    [
      'substrate/moonbeam',
      -32000,
      'submit transaction to pool failed: Pool(AlreadyImported(0x5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbeab12))',
    ],
    ['sei', -32000, 'tx already exists in cache'],
    ['cosmos-evm', -32000, 'tx already in mempool'],
  ],
  nonce_too_low: [
    ['hardhat', -32000, 'Transaction nonce too low. Expected nonce to be at least 2 but got 0.'],
    ['ethereumjs', -32602, `${ADDRESS} tries to send a tx with nonce 0, but account has nonce 1 (tx nonce too low)`],
    ['geth', -32000, 'nonce too low: next nonce 12, tx nonce 9'],
    ['nethermind (older)', -32000, 'OldNonce'],
    ['besu', -32001, 'Nonce too low'],
    ['parity/openethereum', -32000, 'Transaction nonce is too low. Try incrementing the nonce.'],
    ['arbitrum nitro', -32000, 'nonce too low: address 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, tx: 4 state: 7'],
    ['mantle', -32000, "failed to forward tx to sequencer, please try again. Error message: 'nonce too low'"],
    ['zksync', -32000, 'nonce too low. allowed nonce range: 8 - 58, actual: 3'],
    [
      'avalanche',
      -32000,
      'nonce too low: address 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 current nonce (7) > tx nonce (4)',
    ],
    ['harmony', -32000, 'transaction already finalized'],
    ['substrate/moonbeam', -32000, 'submit transaction to pool failed: Pool(Stale)'],
    ['hedera', -32000, 'Nonce too low. Provided nonce: 4, current nonce: 7'],
    ['cosmos-evm', -32000, 'invalid nonce; got 4, expected 7: invalid sequence'],
    ['ethers wrapper', -32000, 'nonce has already been used'],
  ],
  nonce_gap: [
    ['cosmos-evm', -32000, 'invalid nonce; got 9, expected 7: invalid sequence'],
    ['geth (blob pool)', -32000, 'nonce too high: tx nonce 14, gapped nonce 12'],
    ['geth (7702)', -32000, 'gapped-nonce tx from delegated accounts'],
    ['nethermind (older)', -32000, 'NonceGap'],
    ['nethermind', -32000, 'nonce too far in future'],
    ['nethermind (7702)', -32000, 'delegation nonce gap'],
    ['besu', -32006, 'Nonce too high'],
    ['besu', -32000, 'Transaction nonce is too distant from current sender nonce'],
    ['besu', -32000, 'An invalid transaction with a lower nonce exists'],
    ['arbitrum nitro', -32000, 'nonce too high: address 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266, tx: 9 state: 7'],
    ['zksync', -32000, 'nonce too high. allowed nonce range: 8 - 58, actual: 99'],
    ['hedera', -32000, 'Nonce too high. Provided nonce: 9, current nonce: 7'],
    [
      'hardhat/EDR',
      -32000,
      "Nonce too high. Expected nonce to be 1 but got 4. Note that transactions can't be queued when automining.",
    ],
    ['any', -32000, 'nonce is too high'],
    ['besu', -32000, 'nonce too far in the future'],
    ['nethermind', -32000, 'exceeds next nonce'],
    ['arbitrum/optimism', -32000, 'nonce out of range'],
    ['SaaS providers', -32000, 'tx-nonce-too-high'],
  ],
  replacement_underpriced: [
    ['anvil', -32003, 'replacement transaction underpriced'],
    ['ethereumjs', -32602, 'replacement gas too low, got tip 1, min: 2, got fee 3, min: 4'],
    ['geth', -32000, 'replacement transaction underpriced'],
    ['erigon', -32000, 'INTERNAL_ERROR: could not replace existing tx'],
    ['erigon', -32000, 'replaced by transaction with higher tip'],
    ['nethermind (older)', -32000, 'OwnNonceAlreadyUsed'],
    ['nethermind (older)', -32000, 'ReplacementNotAllowed'],
    ['besu', -32000, 'Replacement transaction underpriced'],
    ['reth pool / anvil', -32000, 'insufficient gas price to replace existing transaction'],
    ['parity/openethereum', -32000, 'There is another transaction with same nonce in the queue'],
    ['klaytn/kaia', -32000, 'there is another tx which has the same nonce in the tx pool'],
    [
      'filecoin lotus',
      -32000,
      'message from f1abc with nonce 4 already in mpool, increase GasPremium to 125000 from 100000 to trigger replace by fee',
    ],
  ],
  underpriced: [
    ['anvil', -32003, 'max fee per gas less than block base fee'],
    ['geth', -32000, 'transaction underpriced'],
    ['geth >=1.14 / bor', -32000, 'transaction gas price below minimum: gas tip cap 1, minimum needed 1000000'],
    ['geth / arbitrum / zksync', -32000, 'max fee per gas less than block base fee'],
    ['any', -32000, 'fee cap less than block base fee'],
    ['any', -32000, 'transaction is outdated'],
    ['geth', -32000, 'max fee per blob gas less than block blob gas fee'],
    ['erigon', -32000, 'INTERNAL_ERROR: underpriced'],
    ['erigon', -32000, 'fee too low'],
    ['nethermind (older)', -32000, 'FeeTooLowToCompete'],
    ['nethermind (older)', -32000, 'FeeTooLow'],
    ['besu', -32009, 'Gas price below configured minimum gas price'],
    ['besu', -32009, 'Gas price below current base fee'],
    ['besu', -32000, 'blob gas price below current blob base fee'],
    ['reth', -32000, 'transaction priority fee below minimum required priority fee'],
    [
      'parity/openethereum',
      -32000,
      "Transaction gas price is too low. It does not satisfy your node's minimal gas price (minimal: 1000000000 got: 1). Try increasing the gas price.",
    ],
    ['arbitrum classic / hedera', -32000, 'gas price too low'],
    ['metis', -32000, 'gas price too low: 1000 wei, use at least tx.gasPrice = 20000 wei'],
    ['celo', -32000, 'gasprice is less than gas price minimum floor'],
    ['zksync', -32000, 'The operator included transaction with an unacceptable gas price'],
    ['zksync', -32000, 'Assertion error: Fair pubdata price too high'],
    ['hedera', -32000, "Gas price '100' is below configured minimum gas price '710000000000'"],
    ['sei / cosmos-evm', -32000, 'insufficient fee'],
    ['astar', -32000, 'gas price less than block base fee'],
    ['anvil', -32000, 'Block `blob_gas_price` is greater than tx-specified `max_fee_per_blob_gas` after Cancun'],
    [
      'hardhat/EDR',
      -32000,
      'Transaction gasPrice (1) is too low for the next block, which has a baseFeePerGas of 875000000',
    ],
    [
      'hardhat/EDR',
      -32000,
      'Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 875000000',
    ],
  ],
  insufficient_funds: [
    [
      'hardhat',
      -32000,
      "Sender doesn't have enough funds to send tx. The max upfront cost is: 21 and the sender's balance is: 0.",
    ],
    [
      'ethereumjs',
      -32602,
      `${ADDRESS} does not have enough balance to cover transaction costs, need 42, but have 0 (insufficient balance)`,
    ],
    ['geth', -32000, 'insufficient funds for transfer'],
    ['geth', -32000, 'insufficient funds for gas * price + value: balance 10, tx cost 42000, overshot 41990'],
    ['geth', -32000, 'transaction would cause overdraft'],
    ['geth', -32000, 'insufficient balance for transfer'],
    ['nethermind (older)', -32000, 'InsufficientFunds'],
    ['besu', -32004, 'Upfront cost exceeds account balance'],
    ['reth', -32000, 'insufficient funds for gas * price + value: have 10 want 42000'],
    [
      'parity/openethereum',
      -32000,
      'Insufficient funds. The account you tried to send transaction from does not have enough funds',
    ],
    ['parity/openethereum', -32000, 'Insufficient balance for transaction'],
    ['arbitrum classic', -32000, 'not enough funds for gas'],
    ['celo', -32000, 'insufficient funds for gas * price + value + gatewayFee'],
    ['zksync', -32000, 'insufficient funds for gas + value'],
    ['zksync', -32000, 'not enough balance to cover the fee'],
    ['hedera', -32000, 'failed precheck with status INSUFFICIENT_PAYER_BALANCE'],
    ['monad', -32000, 'Signer had insufficient balance'],
    ['anvil', -32000, 'Insufficient funds for gas * price + value'],
    ['alchemy-style providers', -32000, 'gas * gas price + value exceeds transaction sender account balance'],
  ],
  pool_full: [
    ['geth (blob pool)', -32000, 'account limit exceeded'],
    ['geth / celo / klaytn / reth', -32000, 'txpool is full'],
    ['geth', -32000, 'future transaction tries to replace pending'],
    ['geth / reth', -32000, 'address already reserved'],
    ['geth (7702)', -32000, 'authority already reserved'],
    ['geth', -32000, 'gas limit reached'],
    ['geth (7702)', -32000, 'in-flight transaction limit reached for delegated accounts'],
    ['erigon', -32000, 'spammer'],
    ['erigon', -32000, 'baseFee sub-pool is full'],
    ['erigon', -32000, 'blobs limit in txpool is full'],
    ['erigon', -32000, "can't replace blob-txn with a non-blob-txn"],
    ['erigon', -32000, 'EIP-7702 transaction with authority already reserved'],
    ['nethermind', -32000, 'pending transaction type conflict'],
    ['nethermind (7702)', -32000, 'delegation authority has pending transaction'],
    ['reth pool', -32000, 'transaction discarded outright due to pool size constraints'],
    ['reth pool', -32000, 'being identified as a spammer'],
    ['parity/openethereum', -32000, 'There are too many transactions in the queue'],
    ['arbitrum', -32000, 'queue full'],
    ['arbitrum', -32000, 'sequencer pending tx pool full, please try again'],
    ['arbitrum classic', -32000, 'tx dropped due to L2 congestion'],
  ],
  rate_limited: [
    [
      'alchemy',
      429,
      'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    ],
    ['infura', -32005, 'daily request count exceeded, request rate limited'],
    ['quicknode', -32007, '15/second request limit reached - reduce calls per second or upgrade your account'],
  ],
  'invalid gas_too_low': [
    ['hardhat', -32000, 'Transaction requires at least 21000 gas but got 20000'],
    ['geth', -32000, 'gas uint64 overflow'],
    ['geth', -32000, 'intrinsic gas too low'],
    ['geth (EIP-7623)', -32000, 'insufficient gas for floor data gas cost'],
    ['erigon', -32000, 'GasUintOverflow'],
    ['besu', -32003, 'Intrinsic gas exceeds gas limit'],
    ['reth / anvil', -32000, 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit'],
    ['parity/openethereum', -32000, 'Transaction gas is too low. There is not enough gas to cover minimal cost'],
    ['monad', -32000, 'Gas limit too low'],
  ],
  'invalid fee_fields': [
    ['hardhat', -32000, 'maxPriorityFeePerGas (2) is bigger than maxFeePerGas (1)'],
    ['geth / zksync', -32000, 'max priority fee per gas higher than max fee per gas'],
    ['any', -32000, 'tip higher than fee cap'],
    ['geth / any', -32000, 'max fee per gas higher than 2^256-1'],
    ['besu', -32000, 'Max priority fee per gas exceeds max fee per gas'],
    ['zksync', -32000, 'max priority fee per gas higher than 2^64-1'],
    ['klaytn/kaia', -32000, 'invalid gas fee cap'],
  ],
  'invalid malformed': [
    ['anvil', -32602, 'Failed to decode transaction'],
    ['geth', -32000, 'negative value'],
    ['nethermind (older)', -32000, 'Int256Overflow'],
    ['nethermind (older)', -32000, 'FailedToResolveSender'],
    ['nethermind', -32000, 'failed to recover sender'],
    ['nethermind', -32000, 'transaction cost overflow'],
    ['besu / parity', -32002, 'Invalid signature'],
    ['parity/openethereum', -32000, 'Invalid RLP data'],
    ['hedera', -32000, 'transaction failed precheck with status INVALID_SIGNATURE'],
  ],
  'refused gas_limit': [
    ['hardhat', -32000, 'Transaction gas limit is 17000000 and exceeds transaction gas cap of 16777216'],
    ['ethereumjs', -32602, 'Tx gaslimit of 40000000 exceeds block gas limit of 30000000'],
    ['geth', -32000, 'exceeds block gas limit'],
    ['geth (Osaka, EIP-7825)', -32000, 'transaction gas limit too high'],
    ['erigon', -32000, 'gas limit is too high'],
    ['nethermind (older)', -32000, 'GasLimitExceeded'],
    ['besu', -32005, 'Transaction gas limit exceeds block gas limit'],
    ['reth', -32000, 'exceeds max transaction gas limit'],
    ['parity/openethereum', -32000, 'Supplied gas is beyond limit'],
    ['parity/openethereum', -32000, 'Transaction cost exceeds current gas limit'],
    ['zksync', -32000, 'Not enough gas for transaction validation'],
    ['zksync', -32000, 'Failed to pay the fee to the operator'],
    ['linea', -32000, 'Gas limit of transaction is greater than the allowed max of 24000000'],
  ],
  'refused node_fee_cap': [
    ['geth / erigon / reth', -32000, 'tx fee (2.10 ether) exceeds the configured cap (1.00 ether)'],
    ['besu', -32000, 'Transaction fee cap exceeded'],
  ],
  'refused oversized': [
    ['geth / optimism', -32000, 'oversized data: transaction size 131100, limit 131072'],
    ['geth', -32000, 'max initcode size exceeded'],
    ['erigon', -32000, 'RLPTooLong'],
    ['erigon', -32000, 'initcode too large'],
    ['nethermind', -32000, 'transaction too large'],
    ['parity/openethereum', -32000, 'Transaction is too big, see chain specification for the limit'],
    ['zksync', -32000, 'oversized data. max: 128000; actual: 140000'],
    ['sei', -32000, 'Tx too large. Max size is 2048, but got 4096'],
    ['linea', -32000, 'Calldata of transaction is greater than the allowed max of 60000'],
    ['nethermind', -32000, 'maxtxsizeexceeded'],
  ],
  'refused unsupported_type': [
    ['geth', -32000, 'transaction type not supported'],
    ['any', -32000, 'transaction type not valid'],
    ['erigon', -32000, 'fork supporting this transaction type is not activated yet'],
    ['nethermind', -32000, 'unsupported transaction type'],
    ['besu', -32000, 'Invalid transaction type'],
  ],
  'refused not_permitted': [
    ['besu (permissioned)', -32007, 'Sender account not authorized to send transactions'],
    ['besu / linea', -32000, 'Plugin has marked the transaction as invalid'],
    ['parity/openethereum', -32000, 'Recipient is banned in local queue.'],
    ['parity/openethereum', -32000, 'Transaction is not permitted'],
    ['arbitrum', -32000, 'forbidden sender address'],
    ['arbitrum nitro', -32000, 'transaction sender is not on the whitelist'],
    ['zksync', -32000, 'contract deployer address 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 is not in the allow list'],
    ['harmony', -32000, 'address of transaction in blacklist'],
  ],
  'refused other': [
    ['geth', -32000, 'nonce has max value'],
    ['geth (7702)', -32000, 'authority nonce too low'],
    ['geth', -32000, 'invalid sender'],
    ['geth', -32000, 'sender not an eoa'],
    ['geth', -32000, 'blobless blob transaction'],
    ['geth', -32000, 'missing sidecar in blob transaction'],
    ['geth', -32000, 'too many blobs in transaction'],
    ['geth', -32000, 'transaction blob limit exceeded'],
    ['geth (Osaka)', -32000, 'unexpected sidecar version'],
    ['geth', -32000, 'KZG verification error'],
    ['geth (7702)', -32000, 'set code tx must have at least one authorization tuple'],
    ['geth', -32000, 'only replay-protected (EIP-155) transactions allowed over RPC'],
    ['erigon', -32000, 'max number of blobs exceeded'],
    ['nethermind (older)', -32000, 'SenderIsContract'],
    ['nethermind (older)', -32000, 'Invalid, transaction Hash is null'],
    ['besu', -32000, 'ChainId is required'],
    ['besu', -32000, 'Total blob gas too high'],
    ['reth', -32000, 'sender is not an EOA'],
    ['arbitrum', -32000, 'invalid message format'],
    ['zksync', -32000, 'failed to validate the transaction. reason: Validation revert: Account validation error'],
    ['zksync', -32000, "can't start a transaction from a non-account"],
    ['harmony', -32000, 'invalid shard'],
  ],
  wrong_chain: [
    ['hardhat', -32602, 'Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337'],
    ['geth / treasure', -32000, 'invalid chain id for signer'],
    ['besu', -32000, 'Wrong chainId'],
    ['reth', -32000, 'invalid chain ID'],
    ['anvil', -32000, 'Incompatible EIP-155 transaction, signed for another chain'],
  ],
  ambiguous: [
    ['any', -32000, 'execution reverted: nonce too low'],
    ['geth / reth (estimate)', -32000, 'gas required exceeds allowance (21000)'],
    ['nethermind', -32000, 'node is syncing'],
    ['besu', -32008, 'Initial sync is still in progress'],
    ['besu', -32002, 'Transaction pool not enabled'],
    ['arbitrum classic', -32000, 'invalid transaction nonce'],
    ['arbitrum nitro', -32000, 'sequencer temporarily not available'],
    ['arbitrum nitro', -32000, 'currently not accepting transactions due to expected surplus'],
    ['zksync', -32000, 'insertion of another transaction with the same nonce is in progress'],
    ['zksync', -32000, 'server shutting down'],
    ['polygon zkEVM / XLayer', -32000, 'not enough keccak counters to continue the execution'],
    ['polygon zkEVM / XLayer', -32000, 'out of counters at node level'],
    [
      'hedera',
      -32000,
      'Transaction execution returns a null value for transaction 0x5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbe5d2cbeab12',
    ],
    ['any', -32000, 'invalid opcode'],
    ['avalanche', -32000, 'cannot query unfinalized data'],
    ['any (reads)', -32000, 'filter not found'],
    ['proxy', -32000, '<html><head><title>502 Bad Gateway</title></head></html>'],
    ['proxy', -32000, '503 Service'],
    ['proxy', -32000, '408 Request Timeout'],
    ['transport', -32000, 'i/o timeout'],
    ['transport (Go proxies)', -32000, 'context deadline exceeded'],
    ['transport', -32000, 'network is unreachable'],
    ['transport (node.js)', -32000, 'read ECONNRESET'],
    ['transport (node.js)', -32000, 'connect ECONNREFUSED 10.0.0.7:8545'],
  ],
}

function error(message: string, change: Partial<RpcError> = {}): RpcError {
  return { code: -32000, message, data: null, httpStatus: 200, ...change }
}

function summarize(outcome: NodeAnswer): string {
  return 'reason' in outcome ? `${outcome.type} ${outcome.reason}` : outcome.type
}

describe.each(Object.entries(RECORDED))('%s', (expected, rows) => {
  test.each(rows)('%s (%i): %s', (_, code, words) => {
    expect(summarize(classifySendError(error(words, { code })))).toBe(expected)
    expect(summarize(classifySendError(error(words.toUpperCase(), { code })))).toBe(expected)
  })
})

test('every outcome that a node can word is recorded at least once', () => {
  const types = new Set(Object.keys(RECORDED).map((key) => key.split(' ')[0]))
  expect(types.size).toBe(12)
  expect(Object.values(RECORDED).flat().length).toBeGreaterThanOrEqual(226)
})

describe('messages that look like others', () => {
  test.each([
    ['unknown transaction', 'ambiguous'],
    ['unknown transaction type 0x7f', 'ambiguous'],
    ['unknown account', 'ambiguous'],
    ['transaction not already known to this node', 'ambiguous'],
    ['Internal error', 'ambiguous'],
    ['internal server error, please retry', 'ambiguous'],
    ['the method eth_sendRawTransaction does not exist/is not available', 'ambiguous'],
    ['', 'ambiguous'],
    ['execution reverted: insufficient funds', 'ambiguous'],
    ['execution reverted: already known', 'ambiguous'],
    ["VM Exception while processing transaction: reverted with reason string 'nonce too low'", 'ambiguous'],
    ['authority nonce too low', 'refused other'],
    ['replacement transaction underpriced: new tx gas fee cap 1 < 2 queued', 'replacement_underpriced'],
    ['gas price too low: 10 wei, use at least tx.gasPrice = 20 wei', 'underpriced'],
    ['invalid nonce; got 7, expected 7', 'ambiguous'],
    ['invalid transaction nonce', 'ambiguous'],
  ])('%s', (words, expected) => {
    expect(summarize(classifySendError(error(words)))).toBe(expected)
  })
})

describe('words inside other words', () => {
  test.each<[string, RpcError, string]>([
    ['in data', error('Internal error', { data: 'nonce too low' }), 'nonce_too_low'],
    ['in data.message', error('VM execution error.', { data: { message: 'already known' } }), 'already_known'],
    [
      'in data.error.message',
      error('upstream failed', { data: { error: { code: -32000, message: 'insufficient funds for transfer' } } }),
      'insufficient_funds',
    ],
    [
      'as JSON in the message',
      error('{"jsonrpc":"2.0","error":{"code":-32000,"message":"replacement transaction underpriced"}}'),
      'replacement_underpriced',
    ],
    [
      'as JSON in a body',
      error('bad response', { data: { body: '{"error":{"message":"txpool is full"}}' } }),
      'pool_full',
    ],
    [
      'forwarded to a sequencer',
      error("failed to forward tx to sequencer, please try again. Error message: 'intrinsic gas too low'"),
      'invalid gas_too_low',
    ],
    ['broken JSON', error('{"error": nonce too low'), 'nonce_too_low'],
    ['bytes are not words', error('Internal error', { data: '0x08c379a0' }), 'ambiguous'],
  ])('%s', (_, given, expected) => {
    expect(summarize(classifySendError(given))).toBe(expected)
  })

  test('nested without end is cut off', () => {
    const endless: Record<string, unknown> = { message: '' }
    endless.data = endless
    expect(classifySendError(error('', { data: endless })).type).toBe('ambiguous')
  })
})

describe('codes decide only where there are no words', () => {
  test.each<[RpcError, string]>([
    [error('Transaction gas limit exceeds block gas limit', { code: -32005 }), 'refused gas_limit'],
    [error('limit exceeded', { code: -32005 }), 'rate_limited'],
    [error('Sender account not authorized to send transactions', { code: -32007 }), 'refused not_permitted'],
    [error('50/second request limit reached', { code: -32007 }), 'rate_limited'],
    [error('whatever', { code: -32007 }), 'ambiguous'],
    [error('whatever', { code: -32003 }), 'ambiguous'],
    [error('whatever', { code: -32010 }), 'ambiguous'],
    [error('whatever', { httpStatus: 429 }), 'rate_limited'],
    [error('whatever', { code: 429 }), 'rate_limited'],
  ])('%o', (given, expected) => {
    expect(summarize(classifySendError(given))).toBe(expected)
  })
})

test('messages are kept short', () => {
  const outcome = classifySendError(error(`nonce too low ${'x'.repeat(5_000)}`))
  expect(outcome.type === 'nonce_too_low' && outcome.message.length).toBe(300)
})
