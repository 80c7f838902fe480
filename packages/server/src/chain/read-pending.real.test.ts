/** Signed bytes shown as a real node shows them. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../../../../tests/setup/anvil.ts'
import { readPending } from './read-pending.ts'

const owner = developmentAccount(3)
const account = privateKeyToAccount(owner.privateKey)
const common = { chainId: 31_337, to: owner.address, gas: 30_000n, value: 5n, data: '0x0102' } as const
let chain: TestChain

beforeAll(async () => {
  chain = await startTestChain()
})

afterAll(() => chain.stop())

test.each([
  ['legacy', { ...common, type: 'legacy', nonce: 0, gasPrice: 3_000_000_000n }],
  ['access list', { ...common, type: 'eip2930', nonce: 1, gasPrice: 3_000_000_000n, accessList: [] }],
  ['1559', { ...common, type: 'eip1559', nonce: 2, maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 7n }],
  ['deployment', { ...common, to: null, type: 'eip1559', nonce: 3, maxFeePerGas: 3_000_000_000n, gas: 90_000n }],
] as const)('%s', async (_name, transaction) => {
  const raw = await account.signTransaction(transaction)
  const hash = await chain.rpc<string>('eth_sendRawTransaction', [raw])
  const shown = await chain.rpc<Record<string, unknown>>('eth_getTransactionByHash', [hash])
  const pending = await readPending(raw)
  expect(pending).toMatchObject({ hash, from: owner.address.toLowerCase(), chainId: 31_337 })
  // What a pending transaction would pay is shown in two ways: geth has its most, anvil what the next block would ask.
  const { gasPrice, ...object } = pending?.object ?? {}
  expect(shown).toMatchObject(object)
  expect(gasPrice).toBe('0xb2d05e00')
})

test.each(['0x', '0x02', '0xff00', '0x02c0', `0x02f8${'00'.repeat(40)}`] as const)('%s is none', async (raw) => {
  expect(await readPending(raw)).toBeNull()
})
