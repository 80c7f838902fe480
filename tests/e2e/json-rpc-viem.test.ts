/** viem, as it is from npm, against the JSON-RPC endpoint: over HTTP and over a WebSocket. */
import {
  createPublicClient,
  createWalletClient,
  getContract,
  http,
  InsufficientFundsError,
  parseAbi,
  parseAbiItem,
  webSocket,
} from 'viem'
import { anvil } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COUNTER } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

const abi = parseAbi(COUNTER.abi)
const INCREASED = parseAbiItem('event Increased(uint256 by)')
let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService()
})

afterAll(() => service.close())

function connect() {
  const options = { chain: anvil, transport: http(service.rpcUrl), pollingInterval: 100 } as const
  return {
    reader: createPublicClient(options),
    wallet: createWalletClient({ ...options, account: service.fast.address }),
  }
}

test('the addresses are the signers', async () => {
  const { wallet } = connect()
  const own = [service.fast.address, service.stable.address].sort()
  expect((await wallet.getAddresses()).toSorted()).toEqual(own)
  expect((await wallet.requestAddresses()).toSorted()).toEqual(own)
})

test('sendTransaction and waitForTransactionReceipt', async () => {
  const { reader, wallet } = connect()
  const hash = await wallet.sendTransaction({ to: service.stranger.address, value: 7n })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  expect(receipt).toMatchObject({ status: 'success', transactionHash: hash, from: service.fast.address.toLowerCase() })
  expect(await reader.getTransaction({ hash })).toMatchObject({ value: 7n, blockHash: receipt.blockHash })
})

test('given fees and gas are kept', async () => {
  const { reader, wallet } = connect()
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_001n }
  const hash = await wallet.sendTransaction({ to: service.stranger.address, gas: 50_000n, ...fees })
  expect(await reader.getTransaction({ hash })).toMatchObject({ gas: 50_000n, ...fees, type: 'eip1559' })
  const legacy = await wallet.sendTransaction({ to: service.stranger.address, gasPrice: 3_000_000_000n })
  expect(await reader.getTransaction({ hash: legacy })).toMatchObject({ gasPrice: 3_000_000_000n, type: 'legacy' })
  await reader.waitForTransactionReceipt({ hash: legacy })
})

test('deployContract, writeContract and getLogs', async () => {
  const { reader, wallet } = connect()
  const deployment = await wallet.deployContract({ abi, bytecode: COUNTER.bytecode })
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment })
  const address = contractAddress ?? '0x'
  const hash = await wallet.writeContract({ address, abi, functionName: 'increase', args: [41n] })
  const { blockNumber } = await reader.waitForTransactionReceipt({ hash })
  const counter = getContract({ address, abi, client: reader })
  expect(await counter.read.total()).toBe(41n)
  const logs = await reader.getLogs({ address, event: INCREASED, fromBlock: blockNumber })
  expect(logs.map(({ args, transactionHash }) => ({ ...args, transactionHash }))).toEqual([
    { by: 41n, transactionHash: hash },
  ])
})

test('a lack of funds is the error that viem knows', async () => {
  const { wallet } = connect()
  const failure = await wallet
    .sendTransaction({ to: service.stranger.address, value: 10n ** 30n })
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'TransactionExecutionError', cause: expect.any(InsufficientFundsError) })
})

test('over a WebSocket: blocks, logs and a managed send', async () => {
  const transport = webSocket(service.socketUrl)
  const reader = createPublicClient({ chain: anvil, transport, pollingInterval: 100 })
  const wallet = createWalletClient({ chain: anvil, transport, account: service.fast.address })
  const seen: bigint[] = []
  await new Promise<void>((resolve, reject) => {
    const stop = reader.watchBlockNumber({
      onBlockNumber: (number) => {
        seen.push(number)
        if (seen.length < 3) return
        stop()
        resolve()
      },
      onError: reject,
    })
  })
  expect(seen).toEqual(seen.map((_, index) => (seen[0] ?? 0n) + BigInt(index)))
  const deployment = await wallet.deployContract({ abi, bytecode: COUNTER.bytecode })
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployment })
  const address = contractAddress ?? '0x'
  const heard = new Promise((resolve, reject) => {
    reader.watchContractEvent({
      address,
      abi,
      eventName: 'Increased',
      onLogs: ([log]) => resolve(log),
      onError: reject,
    })
  })
  const hash = await wallet.writeContract({ address, abi, functionName: 'increase', args: [2n] })
  expect(await heard).toMatchObject({ args: { by: 2n }, transactionHash: hash, removed: false })
  const { socket } = await reader.transport.getRpcClient()
  socket.close()
})
