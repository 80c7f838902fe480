import { describe, expect, test } from 'vitest'
import type { Lease } from '../../core/lane/lane.ts'
import type { LaneWrite, LaneWriteResult } from '../../ports/lane-write.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { anyAddress } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createWriter, type WriterSettings } from './writer.ts'

const OK: LaneWriteResult = { type: 'written', versions: [] }

function writeOf(lease: Lease): LaneWrite {
  return { lease, cursor: null, saves: [], nonces: [], notes: [], reservations: [], reset: null, balance: null }
}

function anyLease(): Lease {
  return { lane: { chainId: 1, signer: anyAddress() }, nodeId: 'node-a', fence: 1 }
}

type WriteLanes = (writes: readonly LaneWrite[]) => Promise<readonly LaneWriteResult[]>

function setUp(writeLanes: WriteLanes, settings: Partial<WriterSettings> = {}) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const batches: (readonly LaneWrite[])[] = []
  const store = {
    writeLanes: (writes: readonly LaneWrite[]) => {
      batches.push(writes)
      return writeLanes(writes)
    },
  } as Store
  const own = { writers: 1, lingerMs: 5, batchSize: 100, ...settings }
  return { clock, telemetry, batches, writer: createWriter({ store, clock, telemetry, settings: own }) }
}

describe('group commit', () => {
  test('what several lanes write within the linger is one flush', async () => {
    const { clock, batches, telemetry, writer } = setUp(async (writes) => writes.map(() => OK))
    const results = [writer.write(writeOf(anyLease())), writer.write(writeOf(anyLease()))]
    await clock.advance(4)
    expect(batches).toHaveLength(0)
    await clock.advance(1)
    expect(batches.map((batch) => batch.length)).toEqual([2])
    expect(await Promise.all(results)).toEqual([OK, OK])
    expect(telemetry.observationsOf('drover_flush_size', { queue: 'writer' })).toEqual([2])
    expect(telemetry.observationsOf('drover_flush_seconds', { queue: 'writer' })).toEqual([0])
  })

  test('what waits or is on its way is the depth of the queue, over all writers and whatever becomes of it', async () => {
    let fail = false
    const { clock, telemetry, writer } = setUp(
      async (writes) => {
        if (fail) throw new TypeError('bug')
        return writes.map(() => OK)
      },
      { writers: 2 },
    )
    const depth = () => telemetry.valueOf('drover_queue_depth', { queue: 'writer' })
    const writes = () => [1, 2, 3, 4].map(() => writer.write(writeOf(anyLease())))
    const stored = Promise.all(writes())
    expect(depth()).toBe(4)
    await clock.advance(5)
    await stored
    expect(depth()).toBe(0)
    fail = true
    const broken = Promise.allSettled(writes())
    expect(depth()).toBe(4)
    await clock.advance(5)
    await broken
    expect(depth()).toBe(0)
  })

  test('a lane has one write in a flush, and its writes keep their order', async () => {
    const { clock, batches, writer } = setUp(async (writes) => writes.map(() => OK))
    const lease = anyLease()
    const [first, second, other] = [writeOf(lease), writeOf(lease), writeOf(anyLease())]
    const results = [first, second, other].map((write) => writer.write(write))
    await clock.advance(5)
    expect(batches).toEqual([[first, other], [second]])
    await Promise.all(results)
  })

  test('a write of any size is never split, and none is starved by the limit', async () => {
    const { clock, batches, writer } = setUp(async (writes) => writes.map(() => OK), { batchSize: 1 })
    const big = (lease: Lease) => ({ ...writeOf(lease), saves: new Array(3).fill({}) })
    const results = [anyLease(), anyLease()].map((lease) => writer.write(big(lease)))
    await clock.advance(5)
    expect(batches.map((batch) => batch.length)).toEqual([1, 1])
    await Promise.all(results)
  })

  test('a write that comes at any moment around the end of a flush is stored', async () => {
    for (let turns = 0; turns < 30; turns++) {
      const { clock, writer } = setUp(async (writes) => writes.map(() => OK))
      let late: LaneWriteResult | null = null
      const first = writer.write(writeOf(anyLease())).then(async () => {
        for (let turn = 0; turn < turns; turn++) await null
        void writer.write(writeOf(anyLease())).then((result) => {
          late = result
        })
      })
      await clock.advance(10)
      await first
      expect(late, `${turns} turns after the answer`).toEqual(OK)
    }
  })
})

describe('a store in trouble', () => {
  test('is asked again with growing pauses until it answers, with the same batch', async () => {
    let failures = 4
    const { clock, batches, writer } = setUp(async (writes) => {
      if (failures-- > 0) throw new StoreUnavailable('failing over')
      return writes.map(() => OK)
    })
    const result = writer.write(writeOf(anyLease()))
    await clock.advance(5 + 50 + 100 + 200)
    expect(batches).toHaveLength(4)
    await clock.advance(400)
    expect(await result).toEqual(OK)
    expect(new Set(batches.map((batch) => batch[0]))).toHaveProperty('size', 1)
  })

  test('that stays away for an hour is asked at most every two seconds', async () => {
    const { clock, batches, writer } = setUp(async () => {
      throw new StoreUnavailable('gone')
    })
    const result = writer.write(writeOf(anyLease())).catch((error: unknown) => error)
    await clock.advance(3_600_000)
    expect(batches.length).toBeLessThan(1_850)
    writer.abandon()
    await clock.advance(2_000)
    expect(await result).toBeInstanceOf(StoreUnavailable)
    await writer.drain()
  })

  test('one lane that is fenced and one that is refused leave their neighbours alone', async () => {
    const answers: LaneWriteResult[] = [{ type: 'fenced' }, OK, { type: 'refused', detail: 'check' }]
    const { clock, writer } = setUp(async () => answers)
    const results = answers.map(() => writer.write(writeOf(anyLease())))
    await clock.advance(5)
    expect(await Promise.all(results)).toEqual(answers)
  })

  test('one lane whose write breaks the whole call fails alone', async () => {
    const bad = writeOf(anyLease())
    const { clock, writer } = setUp(async (writes) => {
      if (writes.includes(bad)) throw new TypeError('cannot be told in SQL')
      return writes.map(() => OK)
    })
    const results = Promise.allSettled([writeOf(anyLease()), bad, writeOf(anyLease())].map(writer.write))
    await clock.advance(5)
    expect((await results).map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('drain waits for a flush that is being repeated', async () => {
    let down = true
    const { clock, writer } = setUp(async (writes) => {
      if (down) throw new StoreUnavailable('failing over')
      return writes.map(() => OK)
    })
    const result = writer.write(writeOf(anyLease()))
    let drained = false
    const draining = writer.drain().then(() => {
      drained = true
    })
    await clock.advance(1_000)
    expect(drained).toBe(false)
    down = false
    await clock.advance(2_000)
    await draining
    expect(await result).toEqual(OK)
  })
})

describe('flushes at one time', () => {
  /** A store that answers when told to. */
  function setUpHeld(settings: Partial<WriterSettings>) {
    const answers: (() => void)[] = []
    const held = setUp((writes) => new Promise((resolve) => answers.push(() => resolve(writes.map(() => OK)))), {
      writers: 4,
      ...settings,
    })
    return { ...held, answers }
  }

  test('what comes during a flush is stored together by the next one, whatever lanes it is of', async () => {
    const { clock, batches, writer, answers } = setUpHeld({})
    const first = writer.write(writeOf(anyLease()))
    await clock.advance(5)
    const rest = [1, 2, 3, 4, 5].map(() => writer.write(writeOf(anyLease())))
    await clock.advance(20)
    expect(batches.map((batch) => batch.length)).toEqual([1])
    answers.shift()?.()
    await first
    await clock.advance(0)
    expect(batches.map((batch) => batch.length)).toEqual([1, 5])
    answers.shift()?.()
    await Promise.all(rest)
  })

  test('a full batch does not wait for the flush before it', async () => {
    const { clock, batches, writer, answers } = setUpHeld({ batchSize: 3 })
    const first = writer.write(writeOf(anyLease()))
    await clock.advance(5)
    const rest = [1, 2, 3].map(() => writer.write(writeOf(anyLease())))
    await clock.advance(0)
    expect(batches.map((batch) => batch.length)).toEqual([1, 3])
    for (const answer of answers) answer()
    await Promise.all([first, ...rest])
  })

  test('a slow flush holds up its own lanes alone', async () => {
    const { clock, batches, writer, answers } = setUpHeld({})
    const slow = anyLease()
    const results = [writer.write(writeOf(slow))]
    await clock.advance(5)
    results.push(writer.write(writeOf(slow)), writer.write(writeOf(anyLease())))
    await clock.advance(100)
    expect(batches.map((batch) => batch.length)).toEqual([1, 1])
    expect(batches[1]?.[0]?.lease.lane).not.toEqual(slow.lane)
    while (answers.length > 0) {
      answers.shift()?.()
      await clock.advance(0)
    }
    await Promise.all(results)
    expect(batches.flat().filter(({ lease }) => lease === slow)).toHaveLength(2)
  })
})
