import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Caller, LOCAL_CALLER } from '../../core/access/caller.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { EventFilter } from '../../core/webhook/event-filter.ts'
import { createReadTurns } from '../../engine/tenants/read-turns.ts'
import { createNodeTail } from '../../engine/wait/event-tail.ts'
import type { Store } from '../../ports/store.ts'
import { createManualClock, type ManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { acceptOne, registerLane } from '../../testing/store/samples.ts'
import { createRecordingTelemetry, type RecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { Pieces } from '../server/pieces.ts'
import { createEventStreams, type EventStreams } from './event-streams.ts'

const ALL: EventFilter = { types: null, chainId: null, signer: null, completions: false }
const LIMITS = { maxStreams: 3, heartbeatMs: 15_000, stallMs: 30_000 }

let clock: ManualClock
let store: Store
let reads: number
let telemetry: RecordingTelemetry
let allowed: boolean
let streams: EventStreams
let lane: Lane

beforeEach(async () => {
  clock = createManualClock()
  const memory = createMemoryStore({ clock })
  reads = 0
  store = {
    ...memory,
    readEvents: (after, limit) => {
      reads += 1
      return memory.readEvents(after, limit)
    },
  }
  telemetry = createRecordingTelemetry()
  allowed = true
  streams = createEventStreams({
    store,
    tail: createNodeTail({ store, clock, telemetry }),
    clock,
    telemetry,
    limits: LIMITS,
    isAllowed: async () => allowed,
    work: { begin: async () => () => undefined, spend: () => undefined },
    pieces: AT_ONCE,
    reads: createReadTurns(),
    confirmations: { createReader: () => ({ follow: () => () => {}, readNext: () => null }) },
  })
  lane = await registerLane(store)
})

/** However long they take: the pace of the machine decides nothing here. */
const AT_ONCE: Pick<Pieces, 'map'> = { map: async (_tenant, items, map) => items.map(map) }

function open(after: number | 'latest', over: { filter?: Partial<EventFilter>; caller?: Partial<Caller> } = {}) {
  const caller = { ...LOCAL_CALLER, ...over.caller }
  return streams.open({ after, filter: { ...ALL, ...over.filter }, caller, confirmations: false })
}

/** Takes all that the stream has now. */
async function take(body: Readable): Promise<string> {
  let text = ''
  for (;;) {
    await clock.settle()
    const chunk: unknown = body.read()
    if (chunk === null) return text
    text += String(chunk)
  }
}

/** So many, however many turns of the event loop they take. */
async function takeIds(body: Readable, count: number): Promise<readonly number[]> {
  let text = ''
  while (idsIn(text).length < count) text += await take(body)
  return idsIn(text)
}

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)\nevent:/gm)].map(([, id]) => Number(id))
}

async function accept(count: number, on: Lane = lane): Promise<void> {
  for (let index = 0; index < count; index++) await acceptOne(store, on)
}

describe('where it begins', () => {
  test('after a cursor, from the first event, or from now on', async () => {
    await accept(5)
    const [all, some, none] = [await open(0), await open(3), await open('latest')]
    expect([idsIn(await take(all)), idsIn(await take(some)), idsIn(await take(none))]).toEqual([
      [1, 2, 3, 4, 5],
      [4, 5],
      [],
    ])
    await accept(2)
    expect([idsIn(await take(all)), idsIn(await take(some)), idsIn(await take(none))]).toEqual([
      [6, 7],
      [6, 7],
      [6, 7],
    ])
  })

  test('an event is its id, its type and the JSON of a page', async () => {
    await accept(1)
    const text = await take(await open(0))
    expect(text).toMatch(/^retry: \d+\n\nid: 1\nevent: accepted\ndata: \{.*\}\n\n$/)
    const resource = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '')
    expect(resource).toMatchObject({ eventId: 1, type: 'accepted', chainId: lane.chainId, toState: 'QUEUED' })
  })

  test('further back than the cache: nothing is missed or doubled up to the end [G8]', async () => {
    await accept(5_000)
    const body = await open(0)
    const first = await takeIds(body, 5_000)
    await accept(600)
    expect([...first, ...(await takeIds(body, 600)), ...idsIn(await take(body))]).toEqual(
      Array.from({ length: 5_600 }, (_, index) => index + 1),
    )
  })
})

describe('what it costs', () => {
  test('followers at the end share one reader', async () => {
    const bodies = [await open('latest'), await open('latest'), await open('latest')]
    for (const body of bodies) await take(body)
    reads = 0
    await accept(1)
    for (const body of bodies) expect(idsIn(await take(body))).toEqual([1])
    // One that finds the event, and at most one that finds no more.
    expect(reads).toBeLessThanOrEqual(2)
  })

  test('when nobody follows nothing is read, not even by polling', async () => {
    const body = await open('latest')
    await take(body)
    body.destroy()
    await clock.settle()
    reads = 0
    await accept(3)
    await clock.advance(60_000)
    expect([reads, clock.waiting()]).toEqual([0, 0])
  })

  test('a client that reads nothing causes no reads and is disconnected; it can resume', async () => {
    await accept(3_000)
    const body = await open(0)
    const closed = once(body, 'close')
    await clock.settle()
    reads = 0
    await clock.advance(LIMITS.stallMs - 1)
    // Only the polling of the shared reader; the pages that the client has not taken are not even asked for.
    expect([reads, body.destroyed]).toEqual([Math.floor((LIMITS.stallMs - 1) / 1_000), false])
    await clock.advance(1)
    await closed
    expect(telemetry.valueOf('drover_event_streams_total', { result: 'stalled' })).toBe(1)
    expect(body.readableLength).toBeLessThan(1024 * 1024)
    expect(idsIn(await take(await open(2_998)))).toEqual([2_999, 3_000])
  })

  test('as many as the node may serve, and no more', async () => {
    const bodies = [await open('latest'), await open('latest'), await open('latest')]
    await expect(open('latest')).rejects.toMatchObject({ code: 'too_many_streams', details: { retryAfterMs: 5_000 } })
    bodies[0]?.destroy()
    await clock.settle()
    expect(telemetry.valueOf('drover_event_streams')).toBe(2)
    await open('latest')
  })
})

describe('who gets which events', () => {
  test('filters by type, chain, account and completion', async () => {
    const other = await registerLane(store)
    await accept(2)
    await accept(1, other)
    const nothing = await open(0, { filter: { types: ['finality.reached'] } })
    const theirs = await open(0, { filter: { signer: other.signer } })
    const completions = await open(0, { filter: { completions: true } })
    expect([idsIn(await take(nothing)), idsIn(await take(theirs)), idsIn(await take(completions))]).toEqual([
      [],
      [3],
      [],
    ])
  })

  test('a caller gets events of its own lanes only', async () => {
    const other = await registerLane(store)
    await accept(2)
    await accept(1, other)
    expect(idsIn(await take(await open(0, { caller: { signers: [other.signer] } })))).toEqual([3])
    expect(idsIn(await take(await open(0, { caller: { chains: [other.chainId + 1_000_000] } })))).toEqual([])
  })

  test('heartbeats show that it is alive, and carry the cursor past what was filtered out', async () => {
    const body = await open(0, { filter: { types: ['finality.reached'] } })
    await accept(4)
    await take(body)
    await clock.advance(LIMITS.heartbeatMs)
    expect(await take(body)).toBe(': still here\nid: 4\n\n')
  })

  test('a caller that may no longer read is disconnected at the next heartbeat', async () => {
    const body = await open('latest')
    const ended = once(body, 'end')
    await take(body)
    allowed = false
    await clock.advance(LIMITS.heartbeatMs)
    expect(await take(body)).toBe('')
    await ended
    expect(telemetry.valueOf('drover_event_streams_total', { result: 'forbidden' })).toBe(1)
  })
})

test('the database goes down and comes back: the stream resumes where it was', async () => {
  const body = await open('latest')
  await take(body)
  const { readEvents } = store
  Object.assign(store, { readEvents: () => Promise.reject(new Error('down')) })
  await accept(2)
  expect(idsIn(await take(body))).toEqual([])
  expect(telemetry.logs.map(({ message }) => message)).toContain('could not read the event stream; retrying')
  Object.assign(store, { readEvents })
  await clock.advance(1_000)
  expect(idsIn(await take(body))).toEqual([1, 2])
})

test('closing ends every stream cleanly, and refuses new ones', async () => {
  const body = await open('latest')
  const ended = once(body, 'end')
  await take(body)
  streams.close()
  await take(body)
  await ended
  await expect(open('latest')).rejects.toMatchObject({ code: 'too_many_streams' })
  expect(clock.waiting()).toBe(0)
})

test('a slow client does not wait for the many slow clients of another tenant', async () => {
  await accept(3)
  const memory = store.readEvents
  const waiting: (() => void)[] = []
  const slowStore: Store = {
    ...store,
    readEvents: async (after, limit) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return memory(after, limit)
    },
  }
  const slow = createEventStreams({
    store: slowStore,
    tail: createNodeTail({ store: slowStore, clock, telemetry }),
    clock,
    telemetry,
    limits: { ...LIMITS, maxStreams: 200 },
    isAllowed: async () => true,
    work: { begin: async () => () => undefined, spend: () => undefined },
    pieces: AT_ONCE,
    reads: createReadTurns(),
    confirmations: { createReader: () => ({ follow: () => () => {}, readNext: () => null }) },
  })
  const follow = (tenant: string) =>
    slow.open({ after: 0, filter: ALL, caller: { ...LOCAL_CALLER, keyId: tenant, tenant }, confirmations: false })
  for (let count = 0; count < 90; count++) (await follow('flood')).resume()
  await clock.settle()
  const mine = await follow('other')
  await clock.settle()
  // The last to begin; those of the flood still take their time.
  waiting.at(-1)?.()
  expect(idsIn(await take(mine))).toEqual([1, 2, 3])
  slow.close()
})
