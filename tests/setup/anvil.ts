/** A private anvil for a test file. It mines when told to, so that a test decides what is in which block. */
import { mnemonicToAccount } from 'viem/accounts'
import { callAnvil } from '../../packages/dev/src/chain/call-anvil.ts'
import { type LocalChain, type LocalChainOptions, startLocalChain } from '../../packages/dev/src/chain/local-chain.ts'

export interface TestChain extends LocalChain {
  /** Sends one JSON-RPC call; an error of the node is thrown as `AnvilRpcError`, with its code. */
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  mine(blocks?: number): Promise<void>
  /** A block for every transaction. Not for load: anvil 1.7.1 can hang when several senders send at once. */
  setAutomine(enabled: boolean): Promise<void>
  /** A block at this interval; 0 stops it. */
  setBlockInterval(seconds: number): Promise<void>
  /** Replaces the last `depth` blocks with empty ones. Their transactions are gone, from the pool too. */
  reorg(depth: number): Promise<void>
  /** Removes the last `depth` blocks, leaving a shorter chain. */
  rollback(depth: number): Promise<void>
  dropTransaction(hash: string): Promise<void>
  dropAllTransactions(): Promise<void>
  setBalance(address: string, balanceWei: bigint): Promise<void>
  setNonce(address: string, nonce: number): Promise<void>
  /** `0x` makes it an ordinary account again. */
  setCode(address: string, code: string): Promise<void>
  setNextBlockBaseFee(feeWei: bigint): Promise<void>
  blockNumber(): Promise<number>
}

export type TestChainOptions = Omit<LocalChainOptions, 'stateFile'>

export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const chain = await startLocalChain({ port: 0, blockTimeSeconds: 0, ...options })
  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    (await callAnvil(chain.rpcUrl, method, params)) as T
  const run = async (method: string, ...params: readonly unknown[]): Promise<void> => {
    await rpc(method, params)
  }
  return {
    ...chain,
    rpc,
    mine: (blocks = 1) => run('anvil_mine', toHex(blocks)),
    setAutomine: (enabled) => run('evm_setAutomine', enabled),
    setBlockInterval: (seconds) => run('evm_setIntervalMining', seconds),
    reorg: (depth) => run('anvil_reorg', depth, []),
    rollback: (depth) => run('anvil_rollback', depth),
    dropTransaction: (hash) => run('anvil_dropTransaction', hash),
    dropAllTransactions: () => run('anvil_dropAllTransactions'),
    setBalance: (address, balanceWei) => run('anvil_setBalance', address, toHex(balanceWei)),
    setNonce: (address, nonce) => run('anvil_setNonce', address, toHex(nonce)),
    setCode: (address, code) => run('anvil_setCode', address, code),
    setNextBlockBaseFee: (feeWei) => run('anvil_setNextBlockBaseFeePerGas', toHex(feeWei)),
    blockNumber: async () => Number(await rpc<string>('eth_blockNumber')),
  }
}

export interface DevelopmentAccount {
  readonly address: `0x${string}`
  readonly privateKey: `0x${string}`
}

/** The accounts that every anvil funds at its first block, by index from 0. Their keys are public. */
export function developmentAccount(index: number): DevelopmentAccount {
  const phrase = `${'test '.repeat(11)}junk`
  const account = mnemonicToAccount(phrase, { addressIndex: index })
  const key = account.getHdKey().privateKey
  if (key === null) throw new Error('a derived account has a private key')
  return { address: account.address, privateKey: `0x${Buffer.from(key).toString('hex')}` }
}

function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
