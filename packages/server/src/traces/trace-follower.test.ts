import { expect, test } from 'vitest'
import { toAddress } from '../core/hex.ts'
import type { TxId } from '../core/transaction/transaction.ts'
import type { HistoryEntry } from '../ports/history.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import type { Span } from './trace.ts'
import { followTraces } from './trace-follower.ts'

const TX = '01990a5e-0000-7000-8000-00000000000a' as TxId
const completion = { requestId: null, metadata: {}, inclusion: null, error: null }

function entry(eventId: number, type: string, more: Partial<HistoryEntry> = {}): HistoryEntry {
  const lane = { chainId: 1, signer: toAddress(`0x${'ab'.repeat(20)}`) }
  const rest = { cause: null, fromState: null, toState: null, subState: null, fence: 7, detail: {}, completion: null }
  return { eventId, txId: TX, lane, type, nodeId: 'me', at: eventId, lastAt: eventId, count: 1, ...rest, ...more }
}

const LIFE = [
  entry(11, 'accepted', { toState: 'QUEUED', nodeId: null }),
  entry(12, 'nonce.allocated', { toState: 'ALLOCATED', nodeId: 'other' }),
  entry(13, 'broadcast.answered', { toState: 'TRACKING' }),
  entry(14, 'inclusion.seen'),
  entry(15, 'finality.reached', { toState: 'CONFIRMED', completion }),
]

function createBench(history: readonly HistoryEntry[] = LIFE) {
  const telemetry = createRecordingTelemetry()
  const kept: HistoryEntry[] = []
  const traces: (readonly Span[])[] = []
  let floor = 10
  let onNews = (): void => {}
  const stop = followTraces({
    feed: {
      follow(listener) {
        onNews = listener
        return () => {}
      },
      readAfter: (cursor, limit) =>
        cursor < floor ? null : kept.filter(({ eventId }) => eventId > cursor).slice(0, limit),
      position: () => kept.at(-1)?.eventId ?? floor,
    },
    store: { readHistory: async () => history },
    sender: { add: (trace) => void traces.push(trace) },
    telemetry,
    nodeId: 'me',
  })
  // As the feed does once it knows where the stream ends.
  onNews()
  return {
    telemetry,
    traces,
    stop,
    append(...entries: readonly HistoryEntry[]) {
      kept.push(...entries)
      onNews()
    },
    loseUpTo(eventId: number) {
      floor = eventId
      kept.splice(0)
      onNews()
    },
  }
}

const namesOf = (traces: readonly (readonly Span[])[]) => traces.map((trace) => trace.map(({ name }) => name))
const ALL = ['transaction', 'queue', 'send', 'mine', 'finality']

test('a transaction that this node ended becomes a trace, wherever it began', () => {
  const { append, traces } = createBench()
  for (const each of LIFE) append(each)
  expect(namesOf(traces)).toEqual([ALL])
})

test('one that another node ended does not: that node sends it', () => {
  const { append, traces } = createBench()
  append(...LIFE.slice(0, 4), entry(15, 'finality.reached', { toState: 'CONFIRMED', completion, nodeId: 'other' }))
  expect(traces).toEqual([])
})

test('one that began before this process is completed from its history', async () => {
  const { append, traces, stop } = createBench()
  append(...LIFE.slice(3))
  await stop()
  expect(namesOf(traces)).toEqual([ALL])
})

test('a node that falls behind continues at the end, and says so', () => {
  const { append, loseUpTo, traces, telemetry } = createBench()
  append(...LIFE.slice(0, 2))
  loseUpTo(100)
  expect(telemetry.valueOf('drover_traces_total', { result: 'skipped' })).toBe(1)
  append(...LIFE.map((each) => ({ ...each, eventId: each.eventId + 100 })))
  expect(namesOf(traces)).toEqual([ALL])
})

test('events that belong to no transaction are left alone', () => {
  const { append, traces } = createBench()
  append(entry(11, 'balance.low', { txId: null }))
  expect(traces).toEqual([])
})
