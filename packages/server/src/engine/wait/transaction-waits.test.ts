import { expect, test } from 'vitest'
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { WaitStage } from '../../core/transaction/wait-stage.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import {
  acquire,
  allocateOne,
  registerLane,
  toConfirmed,
  toStuck,
  toTracking,
  write,
} from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createNodeTail } from './event-tail.ts'
import { createTransactionWaits, type Waited } from './transaction-waits.ts'

async function createBench(maxWaiting = 10) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const memory = createMemoryStore({ clock })
  const looks: number[] = []
  let failures = 0
  const store: Store = {
    ...memory,
    findTransactions: (ids) => {
      looks.push(ids.length)
      failures -= 1
      return failures >= 0 ? Promise.reject(new StoreUnavailable('away')) : memory.findTransactions(ids)
    },
  }
  const tail = createNodeTail({ store, clock, telemetry })
  const waits = createTransactionWaits({ store, tail, clock, telemetry, maxWaiting })
  const lease = await acquire(store, await registerLane(store))
  let nonce = 0
  return {
    clock,
    telemetry,
    store,
    waits,
    lease,
    looks,
    failNext: (times: number) => {
      failures = times
    },
    allocate: () => allocateOne(store, lease, nonce++),
    /** Settled results land here; a wait that is still held leaves it empty. */
    hold(tx: Transaction, stage: WaitStage, signal = new AbortController().signal) {
      const ended: Waited[] = []
      const place = waits.enter('look')
      void place
        .until(tx, { stage, timeoutMs: 5_000, signal })
        .then((waited) => ended.push(waited))
        .finally(place.leave)
      return ended
    },
  }
}

test('each stage is answered when it is reached, and not before', async () => {
  const { store, lease, clock, allocate, hold } = await createBench()
  const allocated = await allocate()
  const stages = (['submitted', 'mined', 'confirmed'] as const).map((stage) => hold(allocated, stage))
  const outcomes = async () => {
    await clock.settle()
    return stages.map(([first]) => first && [first.transaction.state, first.outcome])
  }
  expect(await outcomes()).toEqual([undefined, undefined, undefined])
  const [sent] = await write(store, lease, [[allocated, toTracking(allocated)]])
  if (sent === undefined) throw new Error('not sent')
  expect(await outcomes()).toEqual([['TRACKING', 'reached'], undefined, undefined])
  const { inclusion } = toConfirmed(allocated)
  const [mined] = await write(store, lease, [[sent, { ...sent, inclusion, minedAt: 1, subState: 'mined' }]])
  if (mined === undefined) throw new Error('not mined')
  expect(await outcomes()).toEqual([['TRACKING', 'reached'], ['TRACKING', 'reached'], undefined])
  await write(store, lease, [[mined, { ...toConfirmed(allocated), attempts: mined.attempts }]])
  expect((await outcomes())[2]).toEqual(['CONFIRMED', 'reached'])
  expect(clock.waiting()).toBe(0)
})

test('what has come that far already is answered at once; what cannot come there, too', async () => {
  const { lease, store, clock, allocate, hold } = await createBench()
  const [first, second] = [await allocate(), await allocate()]
  const [confirmed] = await write(store, lease, [[first, toConfirmed(first)]])
  if (confirmed === undefined) throw new Error('not confirmed')
  const [there, waiting] = [hold(confirmed, 'mined'), hold(second, 'confirmed')]
  await write(store, lease, [[second, toStuck(second)]])
  await clock.settle()
  expect([there, waiting].map(([waited]) => [waited?.transaction.state, waited?.outcome])).toEqual([
    ['CONFIRMED', 'reached'],
    ['STUCK', 'ended'],
  ])
})

test('what happened between the caller’s reading and the wait is not missed', async () => {
  const { store, lease, clock, allocate, hold } = await createBench()
  const allocated = await allocate()
  await write(store, lease, [[allocated, toTracking(allocated)]])
  const late = hold(allocated, 'submitted')
  await clock.settle()
  expect(late).toMatchObject([{ outcome: 'reached', transaction: { state: 'TRACKING' } }])
})

test('many waiting callers share reads, and events of others cost none', async () => {
  const { store, lease, clock, allocate, hold, looks } = await createBench()
  const awaited = [await allocate(), await allocate(), await allocate()]
  const held = [...awaited, ...awaited].map((tx) => hold(tx, 'submitted'))
  await clock.settle()
  looks.length = 0
  const other = await allocate()
  await write(store, lease, [[other, toTracking(other)]])
  await clock.settle()
  expect(looks).toEqual([])
  await write(
    store,
    lease,
    awaited.map((tx) => [tx, toTracking(tx)] as const),
  )
  await clock.settle()
  expect(held.map(([waited]) => waited?.outcome)).toEqual(Array(6).fill('reached'))
  expect(looks).toEqual([3])
})

test('time that is up answers the transaction as it is, and frees everything', async () => {
  const { telemetry, clock, allocate, hold } = await createBench()
  const allocated = await allocate()
  const held = hold(allocated, 'mined')
  await clock.advance(4_999)
  expect([held, telemetry.valueOf('drover_waiting_requests')]).toEqual([[], 1])
  await clock.advance(1)
  expect(held).toMatchObject([{ outcome: 'timeout', transaction: { id: allocated.id, state: 'ALLOCATED' } }])
  expect([clock.waiting(), telemetry.valueOf('drover_waiting_requests')]).toEqual([0, 0])
})

test('a disconnected caller frees its slot; without a slot nothing starts', async () => {
  const { waits, clock, allocate, hold } = await createBench(1)
  const allocated = await allocate()
  const gone = new AbortController()
  const held = hold(allocated, 'mined', gone.signal)
  expect(() => waits.enter('send')).toThrow(/1 requests are already waiting on this node/)
  gone.abort()
  await clock.settle()
  expect(held).toHaveLength(1)
  expect(clock.waiting()).toBe(0)
  expect(() => waits.enter('look').leave()).not.toThrow()
})

test('those who only look leave places to those who send', async () => {
  const { waits } = await createBench(4)
  for (let count = 0; count < 3; count++) waits.enter('look')
  expect(() => waits.enter('look')).toThrow(/3 requests are already waiting on this node/)
  const place = waits.enter('send')
  expect(() => waits.enter('send')).toThrow(/4 requests are already waiting on this node/)
  place.leave()
  expect(() => waits.enter('send')).not.toThrow()
})

test('one tenant waits in half of the places, and another finds the rest', async () => {
  const { waits } = await createBench(4)
  const places = [waits.enter('send', 'a'), waits.enter('send', 'a')]
  expect(() => waits.enter('send', 'a')).toThrow(expect.objectContaining({ code: 'too_many_waiting' }))
  places.push(waits.enter('send', 'b'), waits.enter('send', 'b'))
  for (const { leave } of places) leave()
  expect(waits.enter('look', 'a')).toHaveProperty('until')
})

test('a database that is down for a while is asked again', async () => {
  const { store, lease, clock, allocate, hold, failNext } = await createBench()
  const allocated = await allocate()
  const held = hold(allocated, 'submitted')
  await clock.settle()
  failNext(2)
  await write(store, lease, [[allocated, toTracking(allocated)]])
  await clock.advance(1_999)
  expect(held).toEqual([])
  await clock.advance(1_001)
  expect(held).toMatchObject([{ outcome: 'reached' }])
})

test('closing answers everyone at once, also later callers', async () => {
  const { waits, clock, allocate, hold } = await createBench()
  const allocated = await allocate()
  const held = [hold(allocated, 'mined'), hold(await allocate(), 'confirmed')]
  await clock.settle()
  waits.close()
  const late = hold(allocated, 'mined')
  await clock.settle()
  expect([...held, late].map(([waited]) => waited?.outcome)).toEqual(['stopping', 'stopping', 'stopping'])
  expect(clock.waiting()).toBe(0)
})

test('a caller that has gone before its wait begins does not hold a place', async () => {
  const bench = await createBench()
  const tx = await bench.allocate()
  const ended = bench.hold(tx, 'confirmed', AbortSignal.abort())
  await bench.clock.advance(1)
  expect(ended).toMatchObject([{ outcome: 'timeout' }])
})

test('hundreds that end together are read a few at a time, so that nobody else waits for all of them', async () => {
  const { store, lease, clock, allocate, hold, looks } = await createBench(300)
  const sent: Transaction[] = []
  for (let index = 0; index < 60; index++) sent.push(await allocate())
  const waits = sent.map((tx) => hold(tx, 'submitted'))
  await clock.settle()
  looks.length = 0
  for (const tx of sent) await write(store, lease, [[tx, toTracking(tx as Parameters<typeof toTracking>[0])]])
  await clock.settle()
  expect(waits.map(([first]) => first?.outcome)).toEqual(sent.map(() => 'reached'))
  expect(Math.max(...looks)).toBeLessThanOrEqual(25)
})
