/** What the engine reports about itself: counted, measured and logged, never acted on. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>

export interface Telemetry {
  count(metric: string, labels?: Fields, by?: number): void
  gauge(metric: string, value: number, labels?: Fields): void
  observe(metric: string, value: number, labels?: Fields): void
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void
}
