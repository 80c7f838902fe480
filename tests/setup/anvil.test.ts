import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from './anvil.ts'

let chain: TestChain

beforeAll(async () => {
  chain = await startTestChain()
})

afterAll(() => chain.stop())

const from = developmentAccount(0).address

function send(): Promise<string> {
  return chain.rpc('eth_sendTransaction', [{ from, to: from, value: '0x1', gas: '0x5208' }])
}

test('the development accounts are those anvil funds', async () => {
  const accounts = await chain.rpc<string[]>('eth_accounts')
  expect([from, developmentAccount(9).address].map((address) => address.toLowerCase())).toEqual([
    accounts[0],
    accounts[9],
  ])
})

test('nothing is mined until told to', async () => {
  const hash = await send()
  expect(await chain.rpc('eth_getTransactionReceipt', [hash])).toBe(null)
  await chain.mine(3)
  expect(await chain.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ blockNumber: '0x1' })
  expect(await chain.blockNumber()).toBe(3)
})

test('a reorg removes transactions and keeps the height', async () => {
  const hash = await send()
  await chain.mine()
  const height = await chain.blockNumber()
  await chain.reorg(1)
  expect(await chain.rpc('eth_getTransactionByHash', [hash])).toBe(null)
  expect(await chain.blockNumber()).toBe(height)
  await chain.rollback(1)
  expect(await chain.blockNumber()).toBe(height - 1)
})

test('the pool can be emptied', async () => {
  const dropped = await send()
  await chain.dropTransaction(dropped)
  expect(await chain.rpc('eth_getTransactionByHash', [dropped])).toBe(null)
  await send()
  await chain.dropAllTransactions()
  expect(await chain.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('balances, nonces, code and fees can be set', async () => {
  const address = developmentAccount(5).address
  await chain.setBalance(address, 123n)
  await chain.setNonce(address, 7)
  await chain.setCode(address, '0x60fe')
  await chain.setNextBlockBaseFee(5_000_000_000n)
  await chain.mine()
  expect(await chain.rpc('eth_getBalance', [address, 'latest'])).toBe('0x7b')
  expect(await chain.rpc('eth_getTransactionCount', [address, 'latest'])).toBe('0x7')
  expect(await chain.rpc('eth_getCode', [address, 'latest'])).toBe('0x60fe')
  expect(await chain.rpc('eth_getBlockByNumber', ['latest', false])).toMatchObject({ baseFeePerGas: '0x12a05f200' })
})

test('a block for every transaction, on request', async () => {
  const height = await chain.blockNumber()
  await chain.setAutomine(true)
  await send()
  await chain.setAutomine(false)
  while ((await chain.blockNumber()) === height) await new Promise((resolve) => setImmediate(resolve))
})

test("the node's errors are thrown with their code", async () => {
  await expect(chain.rpc('no_such_method')).rejects.toMatchObject({ name: 'AnvilRpcError', code: -32_601 })
})
