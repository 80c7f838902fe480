import { expect, test } from 'vitest'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import type { Span } from './trace.ts'
import { createTraceSender, type PostTraces } from './trace-sender.ts'

const QUEUE = 2_048
const SPAN: Span = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  parentSpanId: null,
  name: 'transaction',
  startMs: 0,
  endMs: 1,
  attributes: {},
  events: [],
  error: null,
}

type Answer = Awaited<ReturnType<PostTraces>>['type']

function createBench(answer: Answer) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const posted: number[] = []
  const bench = { clock, posted, answer }
  const post: PostTraces = async (spans) => {
    posted.push(spans.length)
    return bench.answer === 'sent' ? { type: 'sent' } : { type: bench.answer, why: 'HTTP 503' }
  }
  const sender = createTraceSender({ post, clock, telemetry })
  const counted = (result: string) => telemetry.valueOf('drover_traces_total', { result })
  const fill = (count: number) => Array.from({ length: count }).forEach(() => void sender.add([SPAN]))
  return Object.assign(bench, { sender, counted, fill, logs: telemetry.logs })
}

test('traces go out together, in batches', async () => {
  const { clock, posted, fill, counted } = createBench('sent')
  fill(300)
  expect(posted).toEqual([])
  await clock.advance(5_000)
  expect(posted).toEqual([256, 44])
  expect(counted('sent')).toBe(300)
  expect(clock.waiting()).toBe(0)
})

test('while the collector is away they wait, up to a bound; what is dropped is counted', async () => {
  const bench = createBench('failed')
  bench.fill(QUEUE + 10)
  expect(bench.counted('dropped')).toBe(10)
  await bench.clock.advance(60_000)
  // Pauses grow: it is not asked every second.
  expect(bench.posted.length).toBeLessThan(10)
  bench.answer = 'sent'
  await bench.clock.advance(120_000)
  expect(bench.counted('sent')).toBe(QUEUE)
  expect(bench.counted('dropped')).toBe(10)
})

test('traces that come while a batch is out do not push the queue over its bound', async () => {
  const bench = createBench('failed')
  bench.fill(QUEUE)
  await bench.clock.advance(1_000)
  bench.fill(1)
  expect(bench.counted('dropped')).toBe(1)
})

test('what the collector refuses is not sent again', async () => {
  const { clock, posted, fill, counted } = createBench('refused')
  fill(2)
  await clock.advance(60_000)
  expect(posted).toEqual([2])
  expect(counted('refused')).toBe(2)
})

test('a stop sends what is queued, once, and takes no more', async () => {
  const bench = createBench('failed')
  bench.fill(3)
  await bench.sender.stop()
  expect(bench.logs).toMatchObject([{ level: 'warn', fields: { why: 'HTTP 503' } }])
  bench.fill(1)
  expect(bench.posted).toEqual([3])
  expect(bench.counted('dropped')).toBe(4)
  expect(bench.clock.waiting()).toBe(0)
})
