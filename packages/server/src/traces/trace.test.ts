import { expect, test } from 'vitest'
import { toAddress } from '../core/hex.ts'
import type { HistoryEntry } from '../ports/history.ts'
import { toOtlpBody } from './otlp-body.ts'
import { addEntry, NEW_DRAFT, toSpans } from './trace.ts'

const TX = '01990a5e-0000-7000-8000-00000000000a' as NonNullable<HistoryEntry['txId']>
const TRACE = '01990a5e0000700080000000' + '0000000a'

function entry(type: string, at: number, more: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    eventId: at,
    txId: TX,
    lane: { chainId: 1, signer: toAddress(`0x${'ab'.repeat(20)}`) },
    type,
    cause: null,
    fromState: null,
    toState: null,
    subState: null,
    nodeId: 'node-1',
    fence: 7,
    detail: {},
    at,
    count: 1,
    lastAt: at,
    completion: null,
    ...more,
  }
}

const completion = { requestId: 'order-17', metadata: {}, inclusion: null, error: null }
const accepted = entry('accepted', 1_000, { toState: 'QUEUED' })
const allocated = entry('nonce.allocated', 1_200, { toState: 'ALLOCATED' })
const sent = entry('broadcast.answered', 1_300, { toState: 'TRACKING' })
const mined = entry('inclusion.seen', 2_000)
const final = entry('finality.reached', 5_000, { toState: 'CONFIRMED', completion })

const spansOf = (entries: readonly HistoryEntry[], end = final) => toSpans(entries.reduce(addEntry, NEW_DRAFT), end)
const stagesOf = (entries: readonly HistoryEntry[], end = final) =>
  spansOf(entries, end).map(({ name, startMs, endMs }) => [name, startMs, endMs])

test('a life has a span for the whole and for each stage, one after the other', () => {
  const spans = spansOf([accepted, allocated, sent, mined, final])
  expect(spans.map(({ name, startMs, endMs }) => [name, startMs, endMs])).toEqual([
    ['transaction', 1_000, 5_000],
    ['queue', 1_000, 1_200],
    ['send', 1_200, 1_300],
    ['mine', 1_300, 2_000],
    ['finality', 2_000, 5_000],
  ])
  const [root, ...stages] = spans
  expect(root).toMatchObject({ traceId: TRACE, parentSpanId: null, error: null })
  expect(root?.attributes).toMatchObject({ 'drover.transaction_id': TX, 'drover.request_id': 'order-17' })
  expect(stages.every(({ parentSpanId, traceId }) => parentSpanId === root?.spanId && traceId === TRACE)).toBe(true)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
})

test('the same events make the same trace on every node', () => {
  const entries = [accepted, allocated, sent, mined, final]
  expect(spansOf(entries)).toEqual(spansOf(entries))
})

test('a reorg starts the stage again, and is shown', () => {
  const reorged = entry('inclusion.reorged', 2_500)
  const again = entry('inclusion.seen', 3_000)
  const entries = [accepted, allocated, sent, mined, reorged, again, final]
  expect(stagesOf(entries).slice(3)).toEqual([
    ['mine', 1_300, 3_000],
    ['finality', 3_000, 5_000],
  ])
  expect(spansOf(entries)[0]?.events).toEqual([{ name: 'inclusion.reorged', atMs: 2_500 }])
})

test('one that ended without a nonce has no other stages, and an error', () => {
  const error = { code: 'cancelled', message: 'not needed' } as const
  const end = entry('operator.cancelled', 4_000, { toState: 'CANCELLED', completion: { ...completion, error } })
  expect(stagesOf([accepted, end], end)).toEqual([
    ['transaction', 1_000, 4_000],
    ['queue', 1_000, 4_000],
  ])
  expect(spansOf([accepted, end], end)[0]?.error).toBe('not needed')
})

test('it continues the trace of its caller, if what he gave is one', () => {
  const trace = 'a'.repeat(32)
  const withParent = (traceparent: string) =>
    spansOf([accepted], { ...final, completion: { ...completion, metadata: { traceparent } } })[0]
  expect(withParent(`00-${trace}-${'b'.repeat(16)}-01`)).toMatchObject({ traceId: trace, parentSpanId: 'b'.repeat(16) })
  for (const wrong of ['', 'junk', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `00-${trace}-${'0'.repeat(16)}-01`]) {
    expect(withParent(wrong)).toMatchObject({ traceId: TRACE, parentSpanId: null })
  }
})

test('it shows a bounded number of events', () => {
  const bumps = Array.from({ length: 100 }, (_, index) => entry('attempt.added', 1_400 + index))
  expect(spansOf([accepted, allocated, sent, ...bumps, mined, final])[0]?.events).toHaveLength(32)
})

test('OTLP has times as strings of nanoseconds, and typed attributes', () => {
  const body = JSON.parse(toOtlpBody(spansOf([accepted, allocated, sent, mined, final]), 'node-1'))
  const [{ resource, scopeSpans }] = body.resourceSpans
  expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'drover' } })
  expect(scopeSpans[0].spans[0]).toMatchObject({
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '5000000000',
    status: {},
  })
  expect(scopeSpans[0].spans[0].attributes).toContainEqual({ key: 'drover.chain_id', value: { intValue: '1' } })
})
