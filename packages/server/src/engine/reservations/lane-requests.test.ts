/** What a lane's requests do after a cycle broke, and after the lane was stopped. */

import { expect, test } from 'vitest'
import type { ChainView } from '../../core/chain/finality.ts'
import type { Lease } from '../../core/lane/lane.ts'
import { STABLE } from '../../core/lane/policy.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { LaneSignal } from '../lane/lane-runner.ts'
import { createLedger } from '../lane/ledger.ts'
import { createLaneRequests } from './lane-requests.ts'

const LANE = { chainId: 31_337, signer: `0x${'12'.repeat(20)}` } as const
const LEASE: Lease = { lane: LANE, nodeId: 'n', fence: 1 }
const LEDGER = createLedger({ cursor: null, inFlight: [], recyclable: [] })
const SCENE = {
  slots: 5,
  window: 5,
  isPaused: false,
  followsChain: true,
  view: null,
  policy: STABLE,
  movingSince: null,
  queueWaits: false,
  waiting: null,
}

async function setUp() {
  const clock = createManualClock()
  const store = createMemoryStore({ clock })
  await store.registerSigners([{ lane: LANE, policy: STABLE, label: null }])
  const posted: LaneSignal[] = []
  const watched: number[] = []
  const requests = createLaneRequests({
    lease: LEASE,
    store,
    clock,
    telemetry: createRecordingTelemetry(),
    retryMs: 1_000,
    sharePercent: 50,
    chain: createFakeChain({ chainId: LANE.chainId }),
    finality: () => ({ type: 'confirmations', count: 3 }),
    watch: (reservations) => void watched.push(reservations.length),
    lookUp: () => {},
    post: (signal) => void posted.push(signal),
  })
  const items = [{ id: '01890a5d-0000-7000-8000-000000000001', lockOwner: 'x' }]
  await store.insertReservations({ lane: LANE, items, ttlMs: 60_000, label: null, requestId: null })
  return { clock, store, requests, posted, watched }
}

test('the counts are read again after a broken cycle and a reload of the lane', async () => {
  const { clock, requests, posted } = await setUp()
  await requests.refresh()
  expect(requests.decide(LEDGER, SCENE)).toBeNull()
  await clock.settle()
  expect(posted.filter(({ type }) => type === 'counts')).toHaveLength(1)
  // The cycle broke before `take`: the signal is gone. The lane loads again.
  requests.forget()
  await requests.refresh()
  expect(requests.decide(LEDGER, SCENE)).toBeNull()
  await clock.settle()
  expect(posted.filter(({ type }) => type === 'counts')).toHaveLength(2)
})

test('a cursor is not reset by a count that may be older than the chain that is followed', async () => {
  const { clock, store, requests, posted } = await setUp()
  const id = '01890a5d-0000-7000-8000-000000000009'
  await store.insertReset({ id, lane: LANE, actor: 'ann', reason: 'wiped' })
  await requests.refresh()
  const ledger = { ...LEDGER, cursor: 5 }
  const scene = { ...SCENE, slots: 0 }
  const ask = async (view: ChainView | null) => {
    const answer = requests.decide(ledger, { ...scene, view })
    await clock.settle()
    requests.take(posted.splice(0))
    return answer
  }
  expect(await ask(null)).toBeNull()
  expect(await ask(null)).toBeNull()
  const head = { number: 0, hash: `0x${'00'.repeat(32)}`, parentHash: `0x${'00'.repeat(32)}`, timestamp: 0 } as const
  const view: ChainView = { head, safe: null, finalized: null, header: () => null }
  expect(await ask(view)).toBeNull()
  expect((await ask(view))?.toWrite(LEASE)).toMatchObject({
    cursor: { expected: 5, next: 0 },
    reset: { state: 'DONE' },
  })
})

test('a reading that ends after the lane was stopped puts nothing under watch', async () => {
  const { requests, watched } = await setUp()
  const reading = requests.refresh()
  requests.stop()
  await reading
  expect(watched).toEqual([])
})
