/**
 * What a caller sees of transactions, on one running service: a history that does not grow with resends, completions that
 * need no second question, lists in the order of acceptance, receipts with logs, confirmations and blocks as they come,
 * and what the chain counts beside what Drover believes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SeenTransaction, type SingleNode, startSingleNode } from '../faults/single-node.ts'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { readServerSentEvents } from '../setup/server-sent-events.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../setup/webhook-receiver.ts'

/** Its constructor logs 0xaa under the topic 0xff, and deploys nothing. */
const LOGGING_CODE = '0x60aa5f5260ff60205fa15f5ff3'

interface Told {
  readonly type: string
  readonly data: Record<string, unknown>
}

let node: SingleNode
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  node = await startSingleNode({
    preset: 'stable',
    env: { DROVER_STUCK_AFTER: '2s', DROVER_WEBHOOK_ALLOW_PRIVATE: 'true', DROVER_LEASE_DURATION: '15s' },
  })
  const made = await node.drover().post('/v1/webhooks', { url: receiver.url })
  expect(made.status).toBe(201)
})

afterAll(async () => {
  await node?.close()
  await receiver?.stop()
})

/** A node has its bytes, however long that took. */
const isSent = ({ state }: SeenTransaction) => state === 'TRACKING' || state === 'STUCK'

const get = async (path: string) => (await node.drover().get(path)).body

function deliveries(id: string): readonly Told[] {
  return receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.transactionId === id)
}

/** Opens a stream and collects what it tells. */
async function follow(path: string) {
  const stop = new AbortController()
  const response = await fetch(`${node.drover().url}${path}`, { signal: stop.signal })
  const told: { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }[] = []
  const reading = (async () => {
    for await (const { id, type, data } of readServerSentEvents(response))
      told.push({ id, type, data: JSON.parse(data) })
  })().catch(() => undefined)
  return {
    told,
    close: async () => {
      stop.abort()
      await reading
    },
  }
}

test('a stuck transaction is resent repeatedly, but history, stream and webhook say so once', async () => {
  const id = await node.send({ requestId: 'order-17', metadata: { customer: '7' } })
  await node.until(id, ({ state }) => state === 'STUCK')
  const sends = node.proxy.count('eth_sendRawTransaction')
  await node.proxy.awaitCalls('eth_sendRawTransaction', sends + 4)
  const resends = async () => {
    const { items } = await get(`/v1/transactions/${id}/history`)
    return items.filter(
      (entry: { type: string; toState: string }) => entry.type === 'resubmit.claimed' && entry.toState === 'STUCK',
    )
  }
  const [resent, ...more] = await eventually(resends, ([first]) => (first?.count ?? 0) >= 4)
  expect(more).toEqual([])
  expect(resent.lastAt > resent.at).toBe(true)
  const tx = await get(`/v1/transactions/${id}`)
  expect(tx).toMatchObject({ suspended: false, speed: 'standard', priority: 0, fees: null, validUntil: null })
  expect(tx.submitCount).toBeGreaterThan(4)
  expect([tx.stuckAt, tx.lastSubmitAt, tx.nextResubmitAt]).toEqual([
    expect.any(String),
    expect.any(String),
    expect.any(String),
  ])
  await node.mineUntil([id], 'CONFIRMED')
  const told = await eventually(
    async () => deliveries(id),
    (list) => list.some(({ type }) => type === 'finality.reached'),
  )
  const whileStuck = told.filter(({ type, data }) => type === 'resubmit.claimed' && data.toState === 'STUCK')
  expect(whileStuck).toHaveLength(1)
  expect(told.length).toBeLessThan(15)
})

test('a completion event says which intent it was and what it cost, in stream, page and webhook', async () => {
  const id = await node.send({ requestId: 'order-18', metadata: { customer: '8' } })
  await node.mineUntil([id], 'CONFIRMED')
  const { hash } = await node.read(id)
  const onChain = await node.chain.rpc<Record<string, string>>('eth_getTransactionReceipt', [hash])
  const fee = BigInt(onChain.gasUsed ?? 0) * BigInt(onChain.effectiveGasPrice ?? 0)
  expect(fee).toBeGreaterThan(0n)
  const completion = {
    requestId: 'order-18',
    metadata: { customer: '8' },
    error: null,
    receipt: {
      transactionHash: hash,
      status: 'success',
      blockNumber: Number(onChain.blockNumber),
      gasUsed: String(Number(onChain.gasUsed)),
      fee: fee.toString(),
    },
  }
  const { items } = await get('/v1/events?completions=true')
  const own = items.find(({ transactionId }: { transactionId: string }) => transactionId === id)
  expect(own.completion).toMatchObject(completion)
  const told = await eventually(
    async () => deliveries(id).filter(({ type }) => type === 'finality.reached'),
    (list) => list.length > 0,
  )
  expect(told[0]?.data.completion).toMatchObject(completion)
})

test('lists and nonces follow the order of acceptance, in both directions, and filters work', async () => {
  const since = new Date().toISOString()
  const ids = await node.sendTogether(6)
  await node.mineUntil(ids, 'CONFIRMED')
  const list = async (query: string) => (await get(`/v1/transactions?since=${since}&${query}`)).items
  const oldest: { id: string; nonce: number }[] = await list('order=asc')
  expect(oldest.map(({ id }) => id)).toEqual(ids)
  const nonces = oldest.map(({ nonce }) => nonce)
  expect(nonces).toEqual(nonces.toSorted((a, b) => a - b))
  const newest: { id: string }[] = await list('order=desc')
  expect(newest.map(({ id }) => id)).toEqual(ids.toReversed())
  const find = async (query: string) =>
    (await get(`/v1/transactions?${query}`)).items.map(({ requestId }: { requestId: string }) => requestId)
  expect(await find('requestIdPrefix=order-&order=asc')).toEqual(['order-17', 'order-18'])
  expect(await find('metadata=customer=8')).toEqual(['order-18'])
  expect(await find(`to=${node.sender.address}`)).toEqual([])
  expect((await find(`to=${developmentAccount(9).address}&until=${since}`)).length).toBe(2)
})

test('a receipt includes its logs on request', async () => {
  const id = await node.send({ to: null, data: LOGGING_CODE, value: '0' })
  expect((await node.drover().get(`/v1/transactions/${id}/receipt`)).status).toBe(404)
  await node.mineUntil([id], 'CONFIRMED')
  const plain = await get(`/v1/transactions/${id}/receipt`)
  expect(plain).toMatchObject({ status: 'success', contractAddress: expect.any(String) })
  expect(plain).not.toHaveProperty('logs')
  const { hash } = await node.read(id)
  expect(await get(`/v1/transactions/${hash}/receipt?include=logs`)).toEqual({
    ...plain,
    logCount: 1,
    logs: [
      {
        address: plain.contractAddress,
        topics: [`0x${'ff'.padStart(64, '0')}`],
        data: `0x${'aa'.padStart(64, '0')}`,
        logIndex: 0,
      },
    ],
  })
})

describe('streams', () => {
  test('confirmations grow block by block, and a fork replaces the list; other streams see nothing of it', async () => {
    const stream = await follow('/v1/events/stream?include=confirmations')
    const silent = await follow('/v1/events/stream')
    const id = await node.send({ finality: 5 })
    await node.until(id, isSent)
    await node.chain.mine(1)
    const { inclusion } = await node.until(id, (tx) => tx.inclusion !== null)
    const confirmations = () =>
      stream.told.filter(({ type, data }) => type === 'confirmations' && data.transactionId === id)
    const untilCount = (count: number) =>
      eventually(
        async () => confirmations().map(({ data }) => data),
        (seen) => seen.at(-1)?.count === count,
      )
    await node.chain.mine(1)
    await untilCount(1)
    await node.chain.mine(1)
    const grown = await untilCount(2)
    expect(grown.at(-1)).toMatchObject({ newFork: false, required: 5, blockNumber: inclusion?.blockNumber })
    expect(grown.at(-1)?.confirmations).toHaveLength(1)
    const before = confirmations().length
    await node.chain.reorg(2)
    const replaced = await eventually(
      async () =>
        confirmations()
          .slice(before)
          .map(({ data }) => data),
      (seen) => seen.some(({ newFork }) => newFork === true),
    )
    expect(replaced.find(({ newFork }) => newFork === true)?.confirmations).toHaveLength(2)
    await node.mineUntil([id], 'CONFIRMED')
    const ended = () => silent.told.some(({ type, data }) => type === 'finality.reached' && data.transactionId === id)
    await eventually(async () => ended(), Boolean)
    expect(silent.told.filter(({ type }) => type === 'confirmations')).toEqual([])
    await Promise.all([stream.close(), silent.close()])
  })

  test('confirmed blocks arrive in order, each once, also after a reconnect', async () => {
    const { items, confirmed } = await get('/v1/chains/31337/blocks?limit=200')
    const stream = await follow(`/v1/chains/31337/blocks/stream?after=${confirmed - 2}`)
    await node.chain.mine(3)
    await eventually(
      async () => stream.told.length,
      (count) => count >= 5,
    )
    const numbers = stream.told.map(({ data }) => data.number)
    expect(numbers).toEqual(numbers.map((_, index) => confirmed - 1 + index))
    expect(stream.told[0]).toMatchObject({ id: String(confirmed - 1), type: 'block' })
    expect(stream.told[0]?.data).toEqual(items.find(({ number }: { number: number }) => number === confirmed - 1))
    await stream.close()
  })
})

test('the lane shows the nonce counts of the chain; a key that is used elsewhere raises a warning', async () => {
  const lane = async () => (await get(`/v1/signers/${node.sender.address}`)).lanes[0]
  const counted = Number(await node.chain.rpc('eth_getTransactionCount', [node.sender.address, 'latest']))
  const id = await node.send()
  await node.mineUntil([id], 'CONFIRMED')
  const { chain } = await eventually(lane, (seen) => seen.chain?.latest === counted + 1)
  expect(chain).toMatchObject({ pending: counted + 1, drift: 0, at: expect.any(String) })
  // Two looks at two blocks, while something is on its way.
  const waiting = await node.send()
  await node.until(waiting, isSent)
  await node.chain.dropAllTransactions()
  await node.chain.setNonce(node.sender.address, counted + 5)
  const mined = async () => {
    await node.chain.mine(1)
    return await lane()
  }
  const adrift = await eventually(mined, (seen) => seen.chain.drift < 0, { everyMs: 500 })
  expect(adrift.chain).toMatchObject({ latest: counted + 5, drift: adrift.nextNonce - (counted + 5) })
  expect(await node.metric('drover_nonce_drift')).toBe(adrift.chain.drift)
  const line = node
    .drover()
    .output()
    .split('\n')
    .find((text) => text.includes('something else uses its key'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    level: 'warn',
    nodeId: node.drover().nodeId,
    fence: expect.any(Number),
  })
  const { items } = await get('/v1/events?types=drift.found')
  expect(items).toMatchObject([{ cause: 'behind', detail: { nextNonce: adrift.nextNonce } }])
})
