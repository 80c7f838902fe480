/** What is managed about a managed send: hashes that outlive a bump, and calls that wait for their turn and no longer. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

const GWEI = 10n ** 9n
let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService({
    blockTimeSeconds: 0,
    env: { DROVER_BUMP_AFTER: '1s', DROVER_RESUBMIT_INTERVAL: '2s', DROVER_RPC_HOLD_TIMEOUT: '10s' },
  })
  await mineAt(GWEI)
})

afterAll(() => service.close())

async function mineAt(baseFee: bigint): Promise<void> {
  await service.chain.setNextBlockBaseFee(baseFee)
  await service.chain.mine(1)
}

function transferFrom(from: string, more: object = {}): object {
  const transfer = { from, to: service.stranger.address, value: '0x1', ...more }
  return { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [transfer] }
}

const receiptOf = async (hash: string) => (await service.rpc('eth_getTransactionReceipt', hash)).result
const transactionOf = async (hash: string) => (await service.rpc('eth_getTransactionByHash', hash)).result
const nodeHas = (hash: string) => service.chain.rpc('eth_getTransactionReceipt', [hash])

test('a hash returned before a bump still finds the attempt that was mined', async () => {
  const { result: hash } = await service.call(transferFrom(service.fast.address))
  expect(await transactionOf(hash)).toMatchObject({ hash, blockHash: null, from: service.fast.address.toLowerCase() })
  expect(await receiptOf(hash)).toBeNull()

  const receipt = await eventually(
    async () => {
      await mineAt(10n * GWEI)
      return await receiptOf(hash)
    },
    (seen) => seen !== null,
    { everyMs: 400 },
  )
  expect(receipt).toMatchObject({ status: '0x1' })
  expect(receipt.transactionHash).not.toBe(hash)
  expect(await nodeHas(hash)).toBeNull()
  const mined = await transactionOf(hash)
  expect(mined).toMatchObject({ hash: receipt.transactionHash, blockHash: receipt.blockHash, value: '0x1' })
  expect(await receiptOf(receipt.transactionHash)).toEqual(receipt)
  await mineAt(GWEI)
})

test('a cancelled transaction has no receipt, so that nobody takes it for done', async () => {
  const { result: hash } = await service.call(transferFrom(service.fast.address, { value: '0x2' }))
  const { body } = await service.drover.get(`/v1/transactions?hash=${hash}`)
  const [{ id }] = body.items
  const cancelled = await service.drover.post(`/v1/transactions/${id}/cancel`, { reason: 'changed my mind' })
  expect(cancelled.status).toBe(200)
  const { hashes } = await eventually(
    async () => (await service.drover.get(`/v1/transactions/${id}`)).body,
    (seen) => seen.hashes.length === 2,
  )
  // Only once the node has it in the place of the first may a block come.
  await eventually(
    () => service.chain.rpc('eth_getTransactionByHash', [hashes[1]]),
    (seen) => seen !== null,
  )
  const tx = await eventually(
    async () => {
      await mineAt(GWEI)
      return (await service.drover.get(`/v1/transactions/${id}`)).body
    },
    ({ state }) => state === 'CANCELLED',
    { everyMs: 400 },
  )
  expect(await receiptOf(hash)).toBeNull()
  expect(await transactionOf(hash)).toBeNull()
  expect(await receiptOf(tx.receipt.transactionHash)).toMatchObject({
    status: '0x1',
    to: service.fast.address.toLowerCase(),
  })
})

test('one at a time: the next call waits for its nonce; on timeout the error names the transaction, which continues', async () => {
  const from = service.stable.address
  const first = await service.call(transferFrom(from))
  expect(first.result).toMatch(/^0x[0-9a-f]{64}$/)
  const second = await service.call(transferFrom(from, { value: '0x5' }))
  expect(second.error).toMatchObject({ code: -32002, data: { state: 'QUEUED', cause: 'waiting_for_slot' } })
  const { transactionId } = second.error.data
  const explained = (await service.drover.get(`/v1/transactions/${transactionId}/explain`)).body
  expect(second.error.data).toMatchObject({ cause: explained.cause, reason: explained.summary })
  expect(second.error.message).toContain(`ms: ${explained.summary} Do not send it again`)
  expect(second.error.message).toContain(transactionId)

  const third = service.call(transferFrom(from, { value: '0x6' }))
  const states = await eventually(
    async () => {
      await mineAt(GWEI)
      return (await service.drover.get(`/v1/transactions/${transactionId}`)).body
    },
    ({ state }) => state === 'CONFIRMED',
    { everyMs: 200 },
  )
  expect(states).toMatchObject({ nonce: 1, value: '5' })
  expect(await receiptOf(states.hash)).toMatchObject({ status: '0x1' })
  // It was held until the one before it was final, and got its hash in time, or else was named like the second.
  const answer = await third
  expect(answer.result ?? answer.error.data.transactionId).toEqual(expect.any(String))
})

test('a call of a paused signer that is not signed in time says so', async () => {
  const from = service.fast.address
  const order = (verb: string) => service.drover.post(`/v1/signers/${from}/${verb}`, { reason: 'a test' })
  expect((await order('pause')).status).toBe(200)
  const { error } = await service.call(transferFrom(from))
  expect(error).toMatchObject({ code: -32002, data: { state: 'QUEUED', cause: 'lane_paused' } })
  expect(error.message).toContain(`ms: Signer ${from.toLowerCase()} is paused`)
  expect((await order('resume')).status).toBe(200)
})

test('a balance that covers the value but not the gas: accepted, and it waits for funds', async () => {
  const from = service.fast.address
  const balance = await service.chain.rpc('eth_getBalance', [from, 'latest'])
  await service.chain.rpc('anvil_setBalance', [from, '0x64'])
  const { error } = await service.call(transferFrom(from, { value: '0x2' }))
  expect(error).toMatchObject({ code: -32002, data: { state: 'QUEUED', cause: 'waiting_for_funds' } })
  expect(error.message).toContain('insufficient funds for gas * price + value')
  await service.chain.rpc('anvil_setBalance', [from, '0x1'])
  const refused = await service.call(transferFrom(from, { value: '0x2' }))
  expect(refused.error).toMatchObject({ code: -32000, message: expect.stringMatching(/^insufficient funds/) })
  await service.chain.rpc('anvil_setBalance', [from, balance])
})

test('a shutdown answers waiting calls with the id of their transaction', async () => {
  const from = service.stable.address
  // One of them takes the lane, or finds it taken; the others wait behind it.
  const calls = [1, 2, 3].map((value) => service.call(transferFrom(from, { value: `0x${value}` })))
  const queued = `/v1/transactions?from=${from}&state=QUEUED`
  await eventually(
    async () => (await service.drover.get(queued)).body.items,
    (items) => items.length >= 2,
    { everyMs: 20 },
  )
  expect(await service.drover.end('SIGTERM')).toBe(0)
  const answers = await Promise.all(calls)
  const waiting = answers.filter(({ error }) => error !== undefined)
  expect(waiting.length).toBeGreaterThanOrEqual(2)
  for (const { error } of waiting) {
    expect(error).toMatchObject({ code: -32002, data: { transactionId: expect.any(String) } })
    expect(error.message).toContain('this node is stopping')
  }
})
