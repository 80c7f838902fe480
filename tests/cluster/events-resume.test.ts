/** A consumer of the event stream that is cut off again and again, at nodes that die too: it misses nothing and sees the order of commits. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, readAll, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'
import { readServerSentEvents } from '../setup/server-sent-events.ts'

const LANES = 6
const CUTS = 20

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, lanes: LANES, env: { DROVER_EVENT_HEARTBEAT: '500ms' } })
})

afterAll(async () => {
  await cluster?.stop()
})

interface Seen {
  readonly eventId: number
  readonly transactionId: string | null
  readonly type: string
}

async function readTable(): Promise<readonly Seen[]> {
  const client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  const { rows } = await client.query('select event_id, tx_id, type from tx_event order by event_id')
  await client.end()
  return rows.map((row) => ({ eventId: Number(row.event_id), transactionId: row.tx_id, type: row.type }))
}

/** Reads from whichever node there is, from the last event that it has, until it is cut off. */
async function consume(seen: Seen[], signal: AbortSignal): Promise<void> {
  const headers: Record<string, string> = seen.length > 0 ? { 'last-event-id': String(seen.at(-1)?.eventId) } : {}
  const response = await fetch(`${cluster.anyNode().url}/v1/events/stream?after=0`, { headers, signal })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  for await (const { id, type, data } of readServerSentEvents(response)) {
    const event = JSON.parse(data) as Seen
    expect([id, type]).toEqual([String(event.eventId), event.type])
    seen.push({ eventId: event.eventId, transactionId: event.transactionId, type: event.type })
  }
}

test(`cut off ${CUTS} times while three nodes write and two of them die: no event missed, doubled or out of order [G8]`, async () => {
  const seen: Seen[] = []
  const state = { isOver: false, cuts: 0 }
  let cut = new AbortController()
  const consuming = (async () => {
    while (!state.isOver) {
      cut = new AbortController()
      // Cut off by the test or by the death of its node: either way it comes back with what it has.
      await consume(seen, cut.signal).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error
      })
      await delay(5)
    }
  })()
  let next = 0
  const post = async () => {
    while (state.cuts < CUTS) {
      const index = next++
      const from = cluster.signers[index % LANES]?.address
      await cluster.send({ from, to: from, value: '1', requestId: `intent-${index}` })
    }
  }
  const posting = Promise.all(Array.from({ length: 4 }, post))
  for (let time = 1; time <= CUTS; time++) {
    const [before, goal] = [seen.length, seen.length + 20]
    await eventually(
      async () => seen.length,
      (count) => count >= goal,
      { timeoutMs: 120_000, everyMs: 5 },
    )
    expect(seen.length).toBeGreaterThan(before)
    if (time === 7 || time === 14) {
      const victim = time === 7 ? 0 : 1
      await cluster.killNode(victim, time === 7 ? 'SIGKILL' : 'SIGTERM')
      await cluster.startNode(victim)
    } else cut.abort()
    state.cuts += 1
  }
  await posting
  await eventually(
    async () => (await readAll(cluster.anyNode(), '&state=QUEUED,ALLOCATED,TRACKING,STUCK')).length,
    (open) => open === 0,
    { timeoutMs: 300_000, everyMs: 500 },
  )
  const stored = await readTable()
  await eventually(
    async () => seen.length,
    (count) => count >= stored.length,
  )
  state.isOver = true
  cut.abort()
  await consuming
  expect(state.cuts).toBe(CUTS)
  expect(stored.length).toBeGreaterThan(next * 4)
  // Something may have been appended since.
  expect(seen.length).toBeGreaterThanOrEqual(stored.length)
  expect(seen).toEqual((await readTable()).slice(0, seen.length))
})
