/** A receiver that is down for a while, and the node that delivers killed: all events arrive, in order for each transaction. */
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, readAll, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../setup/webhook-receiver.ts'

const LANES = 4
const INTENTS = 300

let cluster: Cluster
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  cluster = await startCluster({
    nodes: 3,
    lanes: LANES,
    env: {
      DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
      DROVER_WEBHOOK_RETRY_INTERVAL: '200ms',
      DROVER_WEBHOOK_RETRY_MAX_INTERVAL: '1s',
    },
  })
})

afterAll(async () => {
  await cluster?.stop()
  await receiver?.stop()
})

async function query<Row>(text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows as Row[]
}

interface Message {
  readonly type: string
  readonly data: { readonly eventId: number; readonly transactionId: string | null; readonly type: string }
}

test('receiver down under load, delivering node killed: every event arrives later, in order and signed [G7] [G8]', async () => {
  const made = await cluster.anyNode().post('/v1/webhooks', { url: `${receiver.url}/events`, after: 0 })
  expect(made.status).toBe(201)
  const { id, secret } = made.body
  const verifier = new Webhook(secret)
  let next = 0
  const post = async () => {
    while (next < INTENTS) {
      const index = next++
      const from = cluster.signers[index % LANES]?.address
      await cluster.send({ from, to: from, value: '1', requestId: `intent-${index}` })
    }
  }
  const posting = Promise.all(Array.from({ length: 4 }, post))
  const receive = (count: number) =>
    eventually(
      async () => receiver.received.length,
      (size) => size >= count,
      { timeoutMs: 120_000 },
    )
  await receive(100)
  await receiver.goDown()
  await eventually(
    async () => query<{ count: string }>('select count(*) from webhook_delivery where last_error is not null'),
    ([row]) => Number(row?.count) > 0,
  )
  // Whoever delivers, dies with what is under way; a peer takes over when its lease has run out.
  const [owner] = await query<{ owner_node: string }>('select owner_node from webhook')
  const victim = cluster.nodes.findIndex((node) => node?.nodeId === owner?.owner_node)
  expect(victim).toBeGreaterThanOrEqual(0)
  await cluster.killNode(victim)
  const before = receiver.received.length
  await receiver.comeBack()
  await receive(before + 100)
  const [heir] = await query<{ owner_node: string; fencing_token: string }>(
    'select owner_node, fencing_token from webhook',
  )
  expect(heir?.owner_node).not.toBe(owner?.owner_node)
  expect(Number(heir?.fencing_token)).toBeGreaterThan(1)
  await posting
  await eventually(
    async () => (await readAll(cluster.anyNode(), '&state=QUEUED,ALLOCATED,TRACKING,STUCK')).length,
    (open) => open === 0,
    { timeoutMs: 300_000, everyMs: 500 },
  )
  const stored = await query<{ event_id: string; tx_id: string | null }>(
    'select event_id, tx_id from tx_event order by event_id',
  )
  await eventually(
    async () => query<{ count: string }>(`select count(*) from webhook_delivery where state = 'DELIVERED'`),
    ([row]) => Number(row?.count) >= stored.length,
    { timeoutMs: 120_000 },
  )
  const seen = new Map<number, string>()
  const orders = new Map<string, number[]>()
  for (const { headers, body } of receiver.received) {
    const message = verifier.verify(body, headers) as Message
    expect(message.type).toBe(message.data.type)
    const { eventId, transactionId } = message.data
    const messageId = headers['webhook-id'] ?? ''
    // A repeat has the same id, so that a receiver can tell; what counts for the order is the first time.
    if (seen.has(eventId)) {
      expect(seen.get(eventId)).toBe(messageId)
      continue
    }
    seen.set(eventId, messageId)
    const order = transactionId ?? 'lanes'
    orders.set(order, [...(orders.get(order) ?? []), eventId])
  }
  // Something may have been appended since.
  const arrived = [...seen.keys()].sort((a, b) => a - b).slice(0, stored.length)
  expect(arrived).toEqual(stored.map((row) => Number(row.event_id)))
  expect(new Set(seen.values()).size).toBe(seen.size)
  for (const [order, events] of orders) {
    if (order !== 'lanes') expect(events).toEqual([...events].sort((a, b) => a - b))
  }
  expect(orders.size).toBeGreaterThanOrEqual(INTENTS)
  const log = await cluster.anyNode().get(`/v1/webhooks/${id}/deliveries?state=FAILED`)
  expect(log.body).toEqual({ items: [], next: null })
  const output = cluster.nodes.map((node) => node?.output() ?? '').join('')
  expect(output).not.toContain(secret.slice('whsec_'.length))
})
