/** Spans as OTLP/HTTP wants them in JSON. */
import type { Span } from './trace.ts'

const INTERNAL = 1
const ERROR = 2

export function toOtlpBody(spans: readonly Span[], nodeId: string): string {
  const resource = { attributes: toAttributes({ 'service.name': 'drover', 'service.instance.id': nodeId }) }
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'drover' }, spans: spans.map(toOtlpSpan) }] }],
  })
}

function toOtlpSpan({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, events, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toAttributes(attributes),
    events: events.map((event) => ({ name: event.name, timeUnixNano: toNanoseconds(event.atMs) })),
    status: error === null ? {} : { code: ERROR, message: error },
  }
}

/** 64-bit numbers are strings in the JSON of protocol buffers. */
function toNanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms)) * 1_000_000n}`
}

function toAttributes(values: Readonly<Record<string, string | number>>): readonly object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))
}
