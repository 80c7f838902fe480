/** Logs and metrics of a running service, behind the telemetry port. Nothing leaves without passing the redactor. */
import { pino } from 'pino'
import type { LogLevel, Telemetry } from '../ports/telemetry.ts'
import { formatLogLine } from './log-line.ts'
import { createMetricRegistry } from './metric-registry.ts'
import { createRedactor } from './redactor.ts'
import { createRepeatedLines } from './repeated-lines.ts'

export interface LogStream {
  write(text: string): unknown
  readonly isTTY?: boolean
}

export interface TelemetryOptions {
  readonly level: LogLevel
  /** JSON lines, or lines for people where it is a terminal. */
  readonly stream: LogStream
  readonly secrets?: Iterable<string>
  /** Memory, processor and event loop of this process among the metrics. */
  readonly withProcessMetrics?: boolean
}

export interface ServiceTelemetry extends Telemetry {
  /** From now on this string is taken out of every line. */
  hide(secret: string): void
  redact(text: string): string
  /** From now on every line names this node. */
  setNode(nodeId: string): void
  /** From now on, `report` is called before each render, and sets gauges of every lane that this node runs. */
  showLanes(maxLanes: number, report: () => void): void
  renderMetrics(): Promise<{ readonly contentType: string; readonly body: string }>
}

/** With its causes; a message that already quotes its cause stays as it is. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const serialized = pino.stdSerializers.err(error)
  const isQuoted = error.cause instanceof Error && error.message.includes(error.cause.message)
  return isQuoted ? { ...serialized, message: error.message } : serialized
}

export function createTelemetry(options: TelemetryOptions): ServiceTelemetry {
  const redactor = createRedactor(options.secrets ?? [])
  const forPeople = options.stream.isTTY === true
  const logger = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { error: serializeError, cause: serializeError },
    },
    {
      write(line: string) {
        const safe = redactor.redact(line)
        options.stream.write(forPeople ? formatLogLine(safe) : safe)
      },
    },
  )
  let node: { readonly nodeId?: string } = {}
  const repeated = createRepeatedLines(() => performance.now())

  function log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): void {
    const leftOut = level === 'warn' || level === 'error' ? repeated.admit(message, fields) : 0
    if (leftOut !== null) logger[level]({ ...node, ...fields, ...(leftOut > 0 && { leftOut }) }, message)
  }

  const metrics = createMetricRegistry({
    withProcess: options.withProcessMetrics ?? false,
    onMisuse: (message) => logger.error(message),
  })

  return {
    count: (metric, labels = {}, by = 1) => metrics.count(metric, labels, by),
    gauge: (metric, value, labels = {}) => metrics.gauge(metric, value, labels),
    observe: (metric, value, labels = {}) => metrics.observe(metric, value, labels),
    log: (level, message, fields = {}) => log(level, message, fields),
    hide: redactor.hide,
    redact: redactor.redact,
    setNode: (nodeId) => {
      node = { nodeId }
    },
    showLanes: metrics.showLanes,
    renderMetrics: async () => ({ contentType: metrics.contentType, body: await metrics.render() }),
  }
}
