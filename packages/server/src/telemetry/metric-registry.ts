/**
 * Holds the values of the metrics table. Telemetry must never stop what it reports on, so a name or label that is not in
 * the table is not an exception here: it is reported once, through `onMisuse`, and otherwise ignored.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Fields } from '../ports/telemetry.ts'
import { createLaneGauges } from './lane-gauges.ts'
import { labelOf, METRICS, type Metric } from './metrics.ts'

export interface MetricRegistry {
  count(name: string, labels: Fields, by: number): void
  gauge(name: string, value: number, labels: Fields): void
  observe(name: string, value: number, labels: Fields): void
  /** From now on, `report` is called before each render, and sets gauges of every lane that this node runs. */
  showLanes(maxLanes: number, report: () => void): void
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
  const lanes = createLaneGauges()
  let maxLanes = Number.POSITIVE_INFINITY
  let reportLanes: (() => void) | null = null

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

  function renderLanes(): void {
    if (reportLanes !== null) {
      lanes.beginReport()
      reportLanes()
      lanes.endReport()
    }
    for (const [name, metric] of Object.entries(table)) if (metric.lanes !== undefined) instruments.get(name)?.reset()
    for (const { name, value, labels } of lanes.list(maxLanes, (each) => table[each]?.lanes ?? 'sum')) {
      const gauge = instruments.get(name)
      if (gauge instanceof Gauge) gauge.set(labelsOf(name, labels), value)
    }
  }

  return {
    count(name, labels, by) {
      const counter = instruments.get(name)
      if (counter instanceof Counter && by >= 0) counter.inc(labelsOf(name, labels), by)
      else report(`${name} is not a counter that can grow by ${by}`)
    },
    gauge(name, value, labels) {
      const gauge = instruments.get(name)
      if (table[name]?.lanes !== undefined) lanes.set(name, value, labels)
      else if (gauge instanceof Gauge) gauge.set(labelsOf(name, labels), value)
      else report(`${name} is not a gauge`)
    },
    observe(name, value, labels) {
      const histogram = instruments.get(name)
      if (histogram instanceof Histogram) histogram.observe(labelsOf(name, labels), value)
      else report(`${name} is not a histogram`)
    },
    showLanes(most, report) {
      maxLanes = most
      reportLanes = report
    },
    render: async () => {
      renderLanes()
      return await registry.metrics()
    },
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
