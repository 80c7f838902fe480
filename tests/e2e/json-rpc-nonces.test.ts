/** Nonces that the caller chose itself, as cast, alloy and Ignition do: kept exactly or refused, never changed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService()
})

afterAll(() => service.close())

const hex = (value: number) => `0x${value.toString(16)}`
const pendingOf = async (address: string) =>
  Number((await service.rpc('eth_getTransactionCount', address, 'pending')).result)

function send(from: string, nonce: number, headers: Record<string, string> = {}) {
  const transfer = { from, to: service.stranger.address, value: hex(nonce + 1), nonce: hex(nonce) }
  return service.call({ jsonrpc: '2.0', id: nonce, method: 'eth_sendTransaction', params: [transfer] }, headers)
}

async function findSent(hash: string) {
  const { nonce, value } = (await service.rpc('eth_getTransactionByHash', hash)).result
  return { nonce: Number(nonce), value: Number(value) }
}

test('many at once, in any order: each gets the nonce it names', async () => {
  const from = service.fast.address
  const first = await pendingOf(from)
  const nonces = Array.from({ length: 24 }, (_, place) => first + ((place * 7) % 24))
  const answers = await Promise.all(nonces.map((nonce) => send(from, nonce)))
  for (const answer of answers) {
    expect(answer.error).toBeUndefined()
    expect(await findSent(answer.result)).toEqual({ nonce: answer.id, value: answer.id + 1 })
  }
  expect(await pendingOf(from)).toBe(first + 24)
})

test('an early nonce waits for its turn, also behind a call without a nonce', async () => {
  const from = service.fast.address
  const next = await pendingOf(from)
  const early = send(from, next + 1)
  const { result } = await service.rpc('eth_sendTransaction', { from, to: from })
  expect((await findSent(result)).nonce).toBe(next)
  expect((await findSent((await early).result)).nonce).toBe(next + 1)
})

test('an assigned nonce is too low, one far ahead too high, and both errors say what to do', async () => {
  const from = service.fast.address
  const next = await pendingOf(from)
  const low = await send(from, next - 1)
  expect(low.error).toMatchObject({ code: -32000 })
  expect(low.error.message).toMatch(
    new RegExp(`^nonce too low: next nonce ${next}, tx nonce ${next - 1};.*leave nonce out`, 'i'),
  )
  const high = await send(from, next + 1_000)
  expect(high.error.message).toMatch(new RegExp(`^nonce too high: next nonce ${next}, tx nonce ${next + 1_000};`))
  expect(await pendingOf(from)).toBe(next)
})

test('the same key gives the same transaction, even if its nonce is used by then', async () => {
  const from = service.fast.address
  const next = await pendingOf(from)
  const headers = { 'idempotency-key': 'with a nonce' }
  const first = await send(from, next, headers)
  expect(first.result).toMatch(/^0x/)
  expect(await send(from, next, headers)).toEqual(first)
})

test('a signer that sends one at a time counts queued transactions, and keeps their nonces', async () => {
  const from = service.stable.address
  const first = await pendingOf(from)
  const calls = [first + 2, first, first + 1].map((nonce) => send(from, nonce))
  await eventually(
    () => pendingOf(from),
    (pending) => pending === first + 3,
    { everyMs: 50 },
  )
  const taken = await send(from, first + 2)
  expect(taken.error.message).toMatch(/^nonce too low/)
  const answers = await Promise.all(calls)
  expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  const sent = await Promise.all(answers.map(({ result }) => findSent(result)))
  expect(sent.map(({ nonce }) => nonce)).toEqual([first + 2, first, first + 1])
})

test('a transaction whose nonce was used by another fails; it is not sent with another nonce', async () => {
  const from = service.stable.address
  const first = await pendingOf(from)
  // Without a block the first is not final, so that the next keeps waiting. Nothing is before it.
  await eventually(
    async () => (await service.drover.get(`/v1/signers/${from}`)).body.lanes[0],
    ({ queued, inFlight }) => queued === 0 && inFlight === 0,
  )
  await service.chain.setBlockInterval(0)
  expect((await send(from, first)).result).toMatch(/^0x/)
  const late = send(from, first + 1)
  await eventually(
    () => pendingOf(from),
    (pending) => pending === first + 2,
    { everyMs: 20 },
  )
  const urgent = { from, to: from, value: '7', priority: 5 }
  expect((await service.drover.post('/v1/transactions', urgent)).status).toBe(202)
  await service.chain.setBlockInterval(1)
  const { error } = await late
  expect(error).toMatchObject({ code: -32000, data: { state: 'CANCELLED' } })
  expect(error.message).toMatch(new RegExp(`^nonce too low: next nonce ${first + 2}, tx nonce ${first + 1};`))
})
