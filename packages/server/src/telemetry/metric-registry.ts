/**
 * Holds the values of the metrics table. Telemetry must never stop what it reports on, so a name or label that is not in
 * the table is not an exception here: it is reported once, through `onMisuse`, and otherwise ignored.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Fields } from '../ports/telemetry.ts'
import { labelOf, METRICS, type Metric } from './metrics.ts'

export interface MetricRegistry {
  count(name: string, labels: Fields, by: number): void
  gauge(name: string, value: number, labels: Fields): void
  observe(name: string, value: number, labels: Fields): void
  /** In the text format of Prometheus. */
  render(): Promise<string>
  readonly contentType: string
}

type Instrument = Counter | Gauge | Histogram

export function createMetricRegistry(options: {
  /** Memory, processor and event loop of this process as well. */
  readonly withProcess: boolean
  onMisuse(message: string): void
}): MetricRegistry {
  const registry = new Registry()
  if (options.withProcess) collectDefaultMetrics({ register: registry })
  const table: Readonly<Record<string, Metric>> = METRICS
  const instruments = new Map<string, Instrument>()
  for (const [name, metric] of Object.entries(table)) instruments.set(name, createInstrument(name, metric, registry))
  const reported = new Set<string>()

  function report(message: string): void {
    if (reported.has(message)) return
    reported.add(message)
    options.onMisuse(message)
  }

  function labelsOf(name: string, fields: Fields): Record<string, string> {
    const known = table[name]?.labels ?? {}
    const labels: Record<string, string> = {}
    for (const [field, value] of Object.entries(fields)) {
      const label = labelOf(field)
      if (!Object.hasOwn(known, label)) report(`metric ${name} has no label ${label}`)
      else if (value !== undefined && value !== null) labels[label] = String(value)
    }
    return labels
  }

  return {
    count(name, labels, by) {
      const counter = instruments.get(name)
      if (counter instanceof Counter && by >= 0) counter.inc(labelsOf(name, labels), by)
      else report(`${name} is not a counter that can grow by ${by}`)
    },
    gauge(name, value, labels) {
      const gauge = instruments.get(name)
      if (gauge instanceof Gauge) gauge.set(labelsOf(name, labels), value)
      else report(`${name} is not a gauge`)
    },
    observe(name, value, labels) {
      const histogram = instruments.get(name)
      if (histogram instanceof Histogram) histogram.observe(labelsOf(name, labels), value)
      else report(`${name} is not a histogram`)
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

function createInstrument(name: string, metric: Metric, registry: Registry): Instrument {
  const settings = { name, help: metric.help, labelNames: Object.keys(metric.labels), registers: [registry] }
  switch (metric.kind) {
    case 'counter':
      return new Counter(settings)
    case 'gauge':
      return new Gauge(settings)
    case 'histogram':
      return new Histogram({ ...settings, ...(metric.buckets && { buckets: [...metric.buckets] }) })
  }
}
