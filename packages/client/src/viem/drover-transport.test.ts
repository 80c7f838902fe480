import {
  BaseError,
  createPublicClient,
  createWalletClient,
  custom,
  parseAbi,
  type TransactionExecutionError,
} from 'viem'
import { anvil } from 'viem/chains'
import { expect, test } from 'vitest'
import { ADDRESS, json, type Script, stubService } from '../testing/stub-service.ts'
import { drover } from './drover-transport.ts'
import { toDroverAccount } from './to-drover-account.ts'

const HASH = `0x${'ab'.repeat(32)}`

function setUp(answer: (method: string) => unknown) {
  const script: Script = ({ body }) => {
    const given = answer(body.method)
    const part = typeof given === 'object' && given !== null && 'code' in given ? { error: given } : { result: given }
    return json({ jsonrpc: '2.0', id: body.id, ...part })
  }
  const service = stubService(script)
  const transport = drover({ custom, url: 'http://drover.test', apiKey: 'drv_key', fetch: service.fetch })
  return { transport, requests: service.requests }
}

test('a wallet client sends through the service, on the chain of the client, under a key', async () => {
  const { transport, requests } = setUp((method) => (method === 'eth_chainId' ? '0x7a69' : HASH))
  const wallet = createWalletClient({ chain: anvil, transport, account: toDroverAccount(ADDRESS) })
  expect(wallet.transport).toMatchObject({ key: 'drover', name: 'Drover', retryCount: 0 })
  expect(await wallet.sendTransaction({ to: ADDRESS, value: 1n })).toBe(HASH)
  const sent = requests.find(({ body }) => body.method === 'eth_sendTransaction')
  expect(sent?.url.pathname).toBe('/rpc/31337')
  expect(sent?.body.params[0]).toMatchObject({ from: ADDRESS, to: ADDRESS, value: '0x1' })
  expect(sent?.body.params[0]).not.toHaveProperty('nonce')
  expect(sent?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  expect(sent?.headers.get('authorization')).toBe('Bearer drv_key')
})

test("a revert is decoded, as with viem's own transport", async () => {
  const data = `0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`
  const { transport } = setUp(() => ({ code: 3, message: 'execution reverted: no', data }))
  const client = createPublicClient({ chain: anvil, transport })
  const abi = parseAbi(['function f() view'])
  const error = await client
    .readContract({ address: ADDRESS, abi, functionName: 'f' })
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BaseError)
  expect((error as BaseError).walk((cause) => cause instanceof Error && 'reason' in cause)).toMatchObject({
    reason: 'no',
  })
})

test('a refusal is a viem error with the message of the service', async () => {
  const { transport, requests } = setUp((method) =>
    method === 'eth_chainId' ? '0x7a69' : { code: -32000, message: 'insufficient funds: the balance is 0' },
  )
  const wallet = createWalletClient({ chain: anvil, transport, account: toDroverAccount(ADDRESS) })
  const error = (await wallet
    .sendTransaction({ to: ADDRESS, value: 1n })
    .catch((thrown: unknown) => thrown)) as TransactionExecutionError
  expect(error.name).toBe('TransactionExecutionError')
  expect(error.details).toContain('insufficient funds')
  expect(requests.filter(({ body }) => body.method === 'eth_sendTransaction')).toHaveLength(1)
})
