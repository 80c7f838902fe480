/** Drover inside another program: a node like any other, which the program starts, calls and stops. HTTP is optional. */
import type { ReadinessProblem } from '../../api/api-services.ts'
import type { EventResource } from '../../api/contract/resources/event-resource.ts'
import { createInProcessCalls, type InProcessCalls } from '../../api/in-process/calls.ts'
import { createFollowedEvents, type EventsOptions } from '../../api/in-process/follow-events.ts'
import { loadConfig, secretsOf } from '../../config/load-config.ts'
import { type ConfigInput, resolveSettings } from '../../config/resolve-settings.ts'
import { createTelemetry, type LogStream } from '../../telemetry/telemetry.ts'
import { startNode } from '../start-node.ts'
import type { DroverSettings } from './drover-settings.ts'

export interface DroverOptions {
  /** True: it also listens on `host` and `port`, with the same rules for API keys as `drover start`. Default: false. */
  readonly http?: boolean
  /** Where log lines go, as JSON unless it is a terminal. Default: standard error. Null: nowhere. */
  readonly log?: LogStream | null
  /** Ends a start that still waits for the database or a chain. */
  readonly signal?: AbortSignal
}

export interface Drover extends InProcessCalls {
  readonly nodeId: string
  /** Null without HTTP. */
  readonly url: string | null
  /** Every event in order, until you leave the loop, the signal aborts, or Drover stops. Outages only delay it. */
  events(options?: EventsOptions): AsyncGenerator<EventResource, void, undefined>
  /** Why this node does not work as it should, and what to do about it. Empty: it does. */
  problems(): Promise<readonly ReadinessProblem[]>
  /** In the text format of Prometheus. */
  metrics(): Promise<string>
  /**
   * Ends waits and loops over events, finishes what is being written, and gives the signers to other nodes. Then
   * nothing is left open. Calling it again does no harm.
   */
  stop(): Promise<void>
}

const NOWHERE: LogStream = { write: () => undefined }

export async function startDrover(settings: DroverSettings, options: DroverOptions = {}): Promise<Drover> {
  const { http = false, log = process.stderr, signal } = options
  const input: ConfigInput = { env: {}, flags: {}, file: { path: null, content: settings } }
  const config = loadConfig(input)
  const telemetry = createTelemetry({
    level: config.logLevel,
    stream: log ?? NOWHERE,
    secrets: secretsOf(resolveSettings(input)),
  })
  const node = await startNode(config, telemetry, { http: http ? config.http : null, signal })
  const { services, nodeId, url, store, clock } = node
  const events = createFollowedEvents({ store, clock, telemetry })
  return {
    ...createInProcessCalls(services),
    nodeId,
    url,
    events: events.read,
    problems: services.readiness,
    metrics: async () => (await telemetry.renderMetrics()).body,
    stop: async () => {
      await events.close()
      await node.stop()
    },
  }
}
