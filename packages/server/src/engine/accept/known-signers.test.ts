import { expect, test } from 'vitest'
import { STABLE } from '../../core/lane/policy.ts'
import type { Notice } from '../../ports/notice.ts'
import { type SignerRecord, StoreUnavailable } from '../../ports/store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createKnownSigners } from './known-signers.ts'

const SIGNER = `0x${'11'.repeat(20)}` as const
const STRANGER = `0x${'99'.repeat(20)}` as const

function record(chainId: number): SignerRecord {
  return { lane: { chainId, signer: SIGNER }, policy: STABLE, label: null, paused: false, createdAt: 0 }
}

function setUpSigners(...registered: SignerRecord[]) {
  let signers: readonly SignerRecord[] = registered
  let reads = 0
  let fails = false
  let time = 0
  const listeners = new Set<(notice: Notice) => void>()
  const telemetry = createRecordingTelemetry()
  const known = createKnownSigners({
    clock: { now: () => time, monotonic: () => time, schedule: () => () => {} },
    telemetry,
    store: {
      listSigners: async () => {
        reads += 1
        if (fails) throw new StoreUnavailable('down')
        return signers
      },
      listen(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  })
  return {
    known,
    listeners,
    telemetry,
    reads: () => reads,
    register: (...records: SignerRecord[]) => {
      signers = records
    },
    breakStore: () => {
      fails = true
    },
    advance: (ms: number) => {
      time += ms
    },
  }
}
const lane = { chainId: 1, signer: SIGNER }
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('an unknown signer is looked up before it is refused, and then cached', async () => {
  const { known, register, reads } = setUpSigners()
  expect(await known.find(lane)).toBeNull()
  const readsBefore = reads()
  register(record(1))
  expect(await known.find(lane)).toEqual(record(1))
  expect(await known.find(lane)).toEqual(record(1))
  expect(reads()).toBe(readsBefore + 1)
  expect(known.peek(lane)).toEqual(record(1))
})

test('they are read at the start, before anybody asks', async () => {
  const { known } = setUpSigners(record(1))
  await turn()
  expect(known.peek(lane)).toEqual(record(1))
})

test('one registered while a read is under way is not refused by that read', async () => {
  const { known, register } = setUpSigners()
  const early = known.find(lane)
  register(record(1))
  const late = known.find(lane)
  await early
  expect(await late).toEqual(record(1))
})

test('they are refreshed on notice and when old, without delaying the answer', async () => {
  const { known, register, listeners, advance, reads } = setUpSigners()
  register(record(1))
  await known.find(lane)
  const readsBefore = reads()
  register({ ...record(1), paused: true })
  for (const listener of listeners) listener({ type: 'nodes.changed' })
  await turn()
  expect(known.peek(lane)?.paused).toBe(true)
  register(record(1))
  advance(5_001)
  expect((await known.find(lane))?.paused).toBe(true)
  await turn()
  expect(known.peek(lane)?.paused).toBe(false)
  expect(reads()).toBe(readsBefore + 2)
  known.close()
  expect(listeners.size).toBe(0)
})

test('with the database down, known signers still work, and unknown ones get a clear error', async () => {
  const { known, register, breakStore, advance, telemetry } = setUpSigners()
  register(record(1))
  await known.find(lane)
  breakStore()
  advance(5_001)
  expect(await known.find(lane)).toEqual(record(1))
  await turn()
  expect(telemetry.logs).toMatchObject([{ level: 'warn' }])
  await expect(known.find({ chainId: 1, signer: STRANGER })).rejects.toBeInstanceOf(StoreUnavailable)
})

test('a change that arrives during a read is not missed', async () => {
  const { known, register, listeners } = setUpSigners(record(1))
  const changed = { ...record(1), paused: true }
  // The first read has begun, with what was stored before the change.
  register(changed)
  for (const listener of listeners) listener({ type: 'nodes.changed' })
  await turn()
  expect(known.peek(lane)).toEqual(changed)
})

test('after a refresh the change is known; with the database down the refresh only warns', async () => {
  const { known, register, breakStore, telemetry } = setUpSigners(record(1))
  await known.find(lane)
  register({ ...record(1), paused: true })
  await known.refresh()
  expect(known.peek(lane)?.paused).toBe(true)
  breakStore()
  await known.refresh()
  expect(telemetry.logs).toMatchObject([{ level: 'warn' }])
  expect(known.peek(lane)?.paused).toBe(true)
})
