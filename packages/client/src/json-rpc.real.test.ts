/** The provider and the viem adapter against the real service, with keys, from the libraries' own packages. */
import { BrowserProvider, parseEther } from 'ethers'
import { createPublicClient, createWalletClient, custom, type Hex } from 'viem'
import { anvil } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { developmentAccount, type TestChain } from '../../../tests/setup/anvil.ts'
import { revertingCode } from '../../../tests/setup/contracts.ts'
import type { TestDatabase } from '../../../tests/setup/database.ts'
import type { DroverProcess } from '../../../tests/setup/drover-process.ts'
import { createFirstKey } from '../../../tests/setup/first-key.ts'
import { startService } from '../../../tests/setup/service.ts'
import { createDrover, type Drover } from './create-drover.ts'
import { createProvider } from './eip1193/create-provider.ts'
import type { Fetch } from './transport/connection.ts'
import { drover as droverTransport } from './viem/drover-transport.ts'
import { toDroverAccount } from './viem/to-drover-account.ts'

const sender = developmentAccount(0)
const stable = developmentAccount(1)
const recipient = developmentAccount(9).address
const chainId = anvil.id

let chain: TestChain
let database: TestDatabase
let service: DroverProcess
let stop: () => Promise<void>
let admin: Drover
let apiKey: string

beforeAll(async () => {
  const started = await startService({
    chain: { blockTimeSeconds: 1 },
    signers: [sender, stable],
    // Short, so that the provider has to wait for hashes itself.
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast', DROVER_RPC_HOLD_TIMEOUT: '1s' },
  })
  ;({ chain, database, drover: service, stop } = started)
  const open = createDrover({ url: service.url })
  await open.signers.update(stable.address, { policy: { preset: 'stable' } })
  const scopes = ['read', 'send', 'operate', 'admin']
  const { token } = await createFirstKey(database.url, { name: 'admin', scopes })
  admin = createDrover({ url: service.url, apiKey: token })
  apiKey = (await admin.apiKeys.create({ name: 'sender', scopes: ['read', 'send'] })).token
})

afterAll(() => stop?.())

/** Carries every request there, and loses so many answers on the way back. */
function losing(count: number): Fetch {
  let left = count
  return async (input, init) => {
    const response = await fetch(input, init)
    if (init.headers && 'idempotency-key' in init.headers && left-- > 0) throw new TypeError('fetch failed')
    return response
  }
}

async function countSent(): Promise<number> {
  let count = 0
  for await (const _ of admin.transactions.list()) count++
  return count
}

describe('keys', () => {
  test('nothing is answered without one; a wrong one is reported as wrong', async () => {
    await expect(createDrover({ url: service.url }).nodes()).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
    })
    const provider = createProvider({ url: service.url, chainId, apiKey: 'drv_wrong' })
    await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4100 })
  })

  test('one that may only read cannot send, and a revoked one opens nothing', async () => {
    const { id, token } = await admin.apiKeys.create({
      name: 'reader',
      scopes: ['read'],
      signers: [sender.address],
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    const reader = createDrover({ url: service.url, apiKey: token })
    const intent = { from: sender.address, to: recipient }
    expect(await reader.signers.list()).toMatchObject([{ address: sender.address }])
    await expect(reader.send(intent)).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    expect((await reader.sendBatch([intent]))[0]).toMatchObject({ type: 'failed', error: { code: 'forbidden' } })
    expect(await admin.apiKeys.revoke(id)).toMatchObject({ id, revokedAt: expect.any(String) })
    await expect(reader.nodes()).rejects.toMatchObject({ code: 'unauthorized' })
    const revoked = (await admin.apiKeys.list()).find((key) => key.id === id)
    expect(revoked).toMatchObject({ name: 'reader', revokedBy: expect.stringContaining('admin') })
    const done: string[] = []
    for await (const entry of admin.audit()) done.push(`${entry.operation} ${entry.result}`)
    expect(done).toContain('revokeApiKey done')
  })

  test('events are pushed to a client with a key', async () => {
    const reader = createDrover({ url: service.url, apiKey })
    const controller = new AbortController()
    const events = reader.events({ signal: controller.signal, from: sender.address })
    const first = events.next()
    const tx = await reader.send({ from: sender.address, to: recipient })
    expect((await first).value).toMatchObject({ from: sender.address })
    await tx.wait('confirmed', { timeoutMs: 60_000 })
    controller.abort()
    await expect(events.next()).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('ethers: a transaction sent and waited for', async () => {
  const provider = new BrowserProvider(createProvider({ url: service.url, chainId, apiKey }))
  const signer = await provider.getSigner(sender.address)
  const sent = await signer.sendTransaction({ to: recipient, value: parseEther('0.001') })
  const receipt = await sent.wait()
  expect(receipt).toMatchObject({ status: 1, from: sender.address })
  provider.destroy()
})

test('web3.js: a transaction sent and waited for', async () => {
  const web3 = new Web3(createProvider({ url: service.url, chainId, apiKey }))
  const receipt = await web3.eth.sendTransaction({ from: sender.address, to: recipient, value: '1' })
  expect(receipt.status).toBe(1n)
})

describe('viem', () => {
  const clients = (options: { readonly fetch?: Fetch } = {}) => {
    const transport = droverTransport({ custom, url: service.url, apiKey, ...options })
    const settings = { chain: anvil, transport, pollingInterval: 200 }
    return {
      reader: createPublicClient(settings),
      wallet: createWalletClient({ ...settings, account: toDroverAccount(sender.address) }),
    }
  }

  test("viem's custom transport accepts the provider too", async () => {
    const provider = createProvider({ url: service.url, chainId, apiKey })
    expect(await createPublicClient({ transport: custom(provider) }).getChainId()).toBe(chainId)
  })

  test('a transaction sent and waited for', async () => {
    const { reader, wallet } = clients()
    const hash = await wallet.sendTransaction({ to: recipient, value: 1n })
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    expect(await wallet.getAddresses()).toContain(sender.address)
  })

  test('lost answers cause no second transaction', async () => {
    const before = await countSent()
    const { reader, wallet } = clients({ fetch: losing(3) })
    const hash: Hex = await wallet.sendTransaction({ to: recipient, value: 2n })
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    expect(await countSent()).toBe(before + 1)
  })

  test('a call that would revert is refused with the reason', async () => {
    const target = '0x00000000000000000000000000000000000c0de1'
    await chain.setCode(target, revertingCode('not today'))
    await expect(clients().wallet.sendTransaction({ to: target, data: '0x12345678' })).rejects.toThrow(/not today/)
  })
})

test('with one in flight at a time, the provider waits until each has a hash', async () => {
  const provider = createProvider({ url: service.url, chainId, apiKey })
  const send = (value: number) =>
    provider.request({
      method: 'eth_sendTransaction',
      params: [{ from: stable.address, to: recipient, value: `0x${value.toString(16)}` }],
    })
  const before = await countSent()
  const hashes = await Promise.all([1, 2, 3, 4].map(send))
  expect(new Set(hashes).size).toBe(4)
  expect(await countSent()).toBe(before + 4)
})
