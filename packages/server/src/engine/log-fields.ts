/** Telemetry whose log lines all carry the same fields: the source and the subject. */
import type { Telemetry } from '../ports/telemetry.ts'

export function withLogFields(telemetry: Telemetry, common: Readonly<Record<string, unknown>>): Telemetry {
  return {
    count: telemetry.count,
    gauge: telemetry.gauge,
    observe: telemetry.observe,
    log: (level, message, fields = {}) => telemetry.log(level, message, { ...common, ...fields }),
  }
}
