/** The client against the real service, on a real chain and database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../../../tests/setup/anvil.ts'
import { revertingCode } from '../../../tests/setup/contracts.ts'
import type { DroverProcess } from '../../../tests/setup/drover-process.ts'
import { eventually } from '../../../tests/setup/eventually.ts'
import { startService, type TestService } from '../../../tests/setup/service.ts'
import { createDrover, type Drover } from './create-drover.ts'
import type { Fetch } from './transport/connection.ts'
import { toBigInt } from './transport/to-big-int.ts'

const sender = developmentAccount(0)
const recipient = developmentAccount(9).address
const INTENT = { from: sender.address, to: recipient, value: 10n ** 15n }

let running: TestService
let chain: TestChain
let service: DroverProcess
let drover: Drover

beforeAll(async () => {
  running = await startService({
    chain: { blockTimeSeconds: 1 },
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      // For the one that is killed; a busy machine that loses a lease gets it again.
      DROVER_LEASE_DURATION: '3s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
    },
  })
  ;({ chain, drover: service } = running)
  drover = createDrover({ url: service.url })
})

afterAll(async () => {
  await service?.end('SIGKILL')
  await running?.stop()
})

describe('an intent', () => {
  test('is sent, followed through its stages and confirmed', async () => {
    const tx = await drover.send(INTENT)
    expect(tx.snapshot).toMatchObject({ id: tx.id, state: 'QUEUED', value: '1000000000000000' })
    const submitted = await tx.wait('submitted', { timeoutMs: 60_000 })
    const mined = await tx.wait('mined', { timeoutMs: 60_000 })
    expect(mined.hash).toBe(submitted.hash)
    const final = await tx.wait('confirmed', { timeoutMs: 60_000 })
    expect(final).toMatchObject({ state: 'CONFIRMED', receipt: { status: 'success' } })
    expect(tx.snapshot).toEqual(final)
    const balance = await chain.rpc<string>('eth_getBalance', [recipient, 'latest'])
    expect(BigInt(balance)).toBe(10n ** 22n + toBigInt(final.value))
    expect((await tx.history()).map(({ type }) => type)).toContain('finality.reached')
    expect(await tx.explain()).toMatchObject({ cause: 'confirmed' })
    expect(await tx.attempts()).toMatchObject([{ hash: final.hash, kind: 'original' }])
    expect(await tx.confirmations()).toMatchObject({ final: true })
    expect((await drover.transactions.get(final.hash)).id).toBe(tx.id)
    await expect(tx.speedUp('too late')).rejects.toMatchObject({ code: 'action_forbidden', status: 409 })
  })

  test('sent again gives the same transaction; with another body, a conflict that names the first', async () => {
    const first = await drover.send({ ...INTENT, requestId: 'order 17' })
    const again = await drover.send({ ...INTENT, requestId: 'order 17' })
    expect(again.id).toBe(first.id)
    await expect(drover.send({ ...INTENT, value: 2n, requestId: 'order 17' })).rejects.toMatchObject({
      name: 'DroverError',
      code: 'idempotency_conflict',
      status: 409,
      requestId: 'order 17',
      problem: { transactionId: first.id },
    })
    const found = await collect(drover.transactions.list({ requestId: 'order 17' }))
    expect(found.map(({ id }) => id)).toEqual([first.id])
  })

  test('that would revert is refused with the decoded reason', async () => {
    const target = '0x00000000000000000000000000000000000c0de1'
    await chain.setCode(target, revertingCode('not today'))
    await expect(drover.send({ from: sender.address, to: target, data: '0x12345678' })).rejects.toMatchObject({
      code: 'transaction_rejected',
      status: 422,
      reason: 'not today',
      transient: false,
    })
    const forced = { from: sender.address, to: target, data: '0x12345678', simulate: false, gasLimit: 60_000 }
    const tx = await drover.send(forced)
    await expect(tx.wait('confirmed', { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'transaction_reverted',
      transaction: { state: 'FAILED_FINAL' },
    })
  })

  test('that is malformed is refused with the field name', async () => {
    const call = { function: 'transfer(address,uint256)', args: [recipient, 'much'] }
    await expect(drover.send({ ...INTENT, call })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
      field: 'call.args[1]',
    })
  })

  test('that lacks funds waits, can be cancelled, and then ends the wait', async () => {
    const tx = await drover.send({ ...INTENT, value: 10n ** 30n, simulate: false })
    const refused = expect(tx.wait('submitted', { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'transaction_cancelled',
      transaction: { state: 'CANCELLED', nonce: null },
    })
    expect(await tx.cancel('changed my mind')).toMatchObject({ state: 'CANCELLED' })
    await refused
    await expect(tx.cancel('again')).rejects.toMatchObject({ code: 'action_forbidden', status: 409 })
  })
})

describe('a batch', () => {
  test('is accepted, and each intent has its result', async () => {
    const intents = Array.from({ length: 30 }, (_, index) => ({ ...INTENT, value: 1n, requestId: `batch ${index}` }))
    const wrong = { ...INTENT, to: 'nowhere' }
    const results = await drover.sendBatch([...intents, wrong])
    expect(results.map(({ type }) => type)).toEqual([...Array(30).fill('accepted'), 'failed'])
    expect(results.at(-1)).toMatchObject({ error: { code: 'invalid_request', status: 400, field: 'to' } })
    const again = await drover.sendBatch(intents)
    expect(again.map((result) => result.type === 'accepted' && result.repeated)).toEqual(Array(30).fill(true))
    const handles = results.flatMap((result) => (result.type === 'accepted' ? [result.transaction] : []))
    const final = await Promise.all(handles.map((tx) => tx.wait('confirmed', { timeoutMs: 60_000 })))
    expect(new Set(final.map(({ nonce }) => nonce)).size).toBe(30)
  })
})

describe('a reserved nonce', () => {
  test('is reserved, extended and released', async () => {
    const { items, lockOwner } = await drover.nonces.reserve(sender.address, { ttlMs: 60_000 })
    const { id } = await drover.nonces.wait(items[0]?.id ?? '', 'reserved', { timeoutMs: 60_000 })
    expect(await drover.nonces.extend(id, { lockOwner, ttlMs: 120_000 })).toMatchObject({ state: 'RESERVED' })
    await expect(drover.nonces.release(id, { lockOwner: 'not mine' })).rejects.toMatchObject({ code: 'not_lock_owner' })
    expect(await drover.nonces.release(id, { lockOwner })).toMatchObject({ state: 'RELEASED' })
    expect(await drover.nonces.wait(id, 'final', { timeoutMs: 60_000 })).toMatchObject({ state: 'RELEASED' })
  })
})

test('the price now, for each speed', async () => {
  const [followed] = await drover.chains.list()
  const { speeds } = await drover.chains.fees(followed?.chainId ?? 0)
  expect(toBigInt(speeds.fast.maxPriorityFeePerGas)).toBeGreaterThanOrEqual(toBigInt(speeds.slow.maxPriorityFeePerGas))
})

test('find returns null if there is none', async () => {
  expect(await drover.transactions.find('00000000-0000-7000-8000-000000000000')).toBeNull()
})

test('signers, chains and nodes', async () => {
  expect(await drover.signers.list()).toMatchObject([{ address: sender.address }])
  expect(
    await drover.signers.update(sender.address, { label: 'hot', policy: { maxFeePerGas: 10n ** 12n } }),
  ).toMatchObject({ label: 'hot', policy: { maxFeePerGas: '1000000000000' } })
  expect((await drover.signers.get(sender.address)).lanes).toHaveLength(1)
  expect(await drover.signers.pause(sender.address, { reason: 'test' })).toMatchObject({ paused: true })
  expect(await drover.signers.resume(sender.address, { reason: 'test' })).toMatchObject({ paused: false })
  const [followed] = await drover.chains.list()
  const chainId = followed?.chainId ?? 0
  await expect(drover.signers.register({ chainId, address: sender.address })).rejects.toMatchObject({
    code: 'signer_exists',
    field: 'address',
  })
  expect(await drover.signers.resetNonce(sender.address, { reason: 'test' })).toMatchObject({ state: 'DONE' })
  await expect(drover.signers.fillGap(sender.address, { reason: 'test' })).rejects.toMatchObject({
    code: 'action_forbidden',
    status: 409,
  })
  expect(followed?.following).toBe(true)
  expect((await drover.chains.blocks(followed?.chainId ?? 0)).items.length).toBeGreaterThan(0)
  expect(await drover.nodes()).toMatchObject([{ id: service.nodeId, self: true }])
})

test('a stream that keeps breaking, even inside events, loses and repeats none', async () => {
  let cuts = 0
  /** Lets through somewhat more each time, then breaks off in the middle of whatever comes. */
  const cutting: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!input.includes('/events/stream') || response.body === null || cuts >= 20) return response
    return new Response(response.body.pipeThrough(cutAfter(700 + 611 * cuts++)), response)
  }
  const reader = createDrover({ url: service.url, fetch: cutting })
  const controller = new AbortController()
  const seen: number[] = []
  const following = (async () => {
    for await (const { eventId } of reader.events({ signal: controller.signal })) seen.push(eventId)
  })()
  const ended = expect(following).rejects.toMatchObject({ name: 'AbortError' })
  const results = await drover.sendBatch(Array.from({ length: 60 }, () => ({ ...INTENT, value: 1n })))
  for (const result of results) if (result.type === 'accepted') await result.transaction.wait('confirmed')
  const stored = (await collect(drover.events({ follow: false }))).map(({ eventId }) => eventId)
  await eventually(
    async () => seen.length,
    (count) => count >= stored.length,
  )
  controller.abort()
  await ended
  expect(cuts).toBe(20)
  expect(seen.slice(0, stored.length)).toEqual(stored)
})

test('the service is killed and restarted: each send happens once, and the event loop misses nothing', async () => {
  const failures: string[] = []
  const port = Number(new URL(service.url).port)
  const retry = { maxTries: 100, maxDelayMs: 1_000 }
  const streams: string[] = []
  const counting: Fetch = (input, init) => {
    if (input.includes('/events/stream')) streams.push(input)
    return fetch(input, init)
  }
  const patient = createDrover({
    url: service.url,
    fetch: counting,
    retry,
    onRetry: ({ error }) => failures.push(error.code),
  })
  const controller = new AbortController()
  const seen: number[] = []
  const following = (async () => {
    for await (const { eventId } of patient.events({ signal: controller.signal })) seen.push(eventId)
  })()
  const ended = expect(following).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))

  const requestIds = Array.from({ length: 6 }, (_, index) => `through-${index}`)
  const send = (requestId: string) => patient.send({ ...INTENT, requestId })
  const before = await Promise.all(requestIds.slice(0, 3).map(send))
  await service.end('SIGKILL')
  // Sent while nobody listens; they go through when the service is back.
  const later = Promise.all(requestIds.slice(3).map(send))
  service = await running.startPeer({ DROVER_PORT: String(port) })
  const transactions = [...before, ...(await later)]
  for (const tx of transactions) await tx.wait('confirmed', { timeoutMs: 60_000 })

  expect(failures).toContain('network_error')
  for (const [index, requestId] of requestIds.entries()) {
    const found = await collect(patient.transactions.list({ requestId }))
    expect(found.map(({ id }) => id)).toEqual([transactions[index]?.id])
  }
  const stored = (await collect(patient.events({ follow: false }))).map(({ eventId }) => eventId)
  await eventually(
    async () => seen.length,
    (count) => count >= stored.length,
  )
  controller.abort()
  await ended
  // Pushed, not asked for: a stream before the kill and one after it.
  expect(streams.length).toBeGreaterThanOrEqual(2)
  const ends = await collect(patient.events({ follow: false, completions: true }))
  expect(ends.map(({ transactionId }) => transactionId)).toEqual(
    expect.arrayContaining(transactions.map(({ id }) => id)),
  )
  expect(seen.slice(0, stored.length)).toEqual(stored)
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
})

function cutAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, out) {
      out.enqueue(chunk.slice(0, left))
      left -= chunk.length
      if (left <= 0) out.error(new TypeError('terminated'))
    },
  })
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
