/**
 * The supported methods. Anything not listed does not exist here, whatever the node behind can do: a private node often
 * answers calls that stop it, change its state or sign with its keys. `rpcAllowedMethods` adds to the list.
 */

/** Passed on to a node as they are. All of them only read, save for the filters, which a node keeps for a while. */
export const PASSED_ON = [
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_protocolVersion',
  'eth_simulateV1',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_listening',
  'net_peerCount',
  'web3_clientVersion',
  'web3_sha3',
] as const

/** Would sign what only a person can judge, or return signed bytes whose nonce is not reserved. */
const NEVER_SIGNED: Readonly<Record<string, string>> = {
  eth_sign: 'Drover signs only transactions, never messages',
  personal_sign: 'Drover signs only transactions, never messages',
  eth_signTypedData: 'Drover signs only transactions, never messages',
  eth_signTypedData_v3: 'Drover signs only transactions, never messages',
  eth_signTypedData_v4: 'Drover signs only transactions, never messages',
  eth_signTransaction: 'Drover signs only what it sends itself; use eth_sendTransaction',
  personal_sendTransaction: 'Drover needs no unlocked accounts; use eth_sendTransaction',
}

export interface MethodList {
  isPassedOn(method: string): boolean
  /** Why a wallet method is not supported here; null for a method that is simply unknown. */
  findRefusal(method: string): string | null
}

export function createMethodList(added: readonly string[]): MethodList {
  const passedOn = new Set<string>([...PASSED_ON, ...added])
  return {
    isPassedOn: (method) => passedOn.has(method),
    findRefusal: (method) => (Object.hasOwn(NEVER_SIGNED, method) ? (NEVER_SIGNED[method] ?? null) : null),
  }
}
