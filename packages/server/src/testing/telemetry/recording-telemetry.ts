/** Telemetry for tests: keeps what was told, or lets it go. */
import type { Fields, LogLevel, Telemetry } from '../../ports/telemetry.ts'

export interface RecordedLog {
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface RecordingTelemetry extends Telemetry {
  readonly logs: readonly RecordedLog[]
  /** What a counter grew to, or a gauge was last set to, under exactly these labels; 0 where it never was. */
  valueOf(metric: string, labels?: Fields): number
  /** What a histogram was told, in order. */
  observationsOf(metric: string, labels?: Fields): readonly number[]
}

export function createRecordingTelemetry(): RecordingTelemetry {
  const logs: RecordedLog[] = []
  const values = new Map<string, number>()
  const observations = new Map<string, number[]>()
  return {
    logs,
    count(metric, labels, by = 1) {
      const key = seriesKey(metric, labels)
      values.set(key, (values.get(key) ?? 0) + by)
    },
    gauge: (metric, value, labels) => void values.set(seriesKey(metric, labels), value),
    observe(metric, value, labels) {
      const key = seriesKey(metric, labels)
      observations.set(key, [...(observations.get(key) ?? []), value])
    },
    log: (level, message, fields = {}) => void logs.push({ level, message, fields }),
    valueOf: (metric, labels) => values.get(seriesKey(metric, labels)) ?? 0,
    observationsOf: (metric, labels) => observations.get(seriesKey(metric, labels)) ?? [],
  }
}

function seriesKey(metric: string, labels: Fields = {}): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([metric, pairs])
}

export function createSilentTelemetry(): Telemetry {
  return { count() {}, gauge() {}, observe() {}, log() {} }
}
