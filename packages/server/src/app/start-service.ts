/** `drover start`: a node that listens for HTTP requests. */
import type { Config } from '../config/config.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { startNode } from './start-node.ts'

export interface Service {
  readonly url: string
  readonly nodeId: string
  stop(): Promise<void>
  /** Settles when the service has stopped; rejects when it broke. */
  readonly stopped: Promise<void>
}

/** `signal`: stop. A start that still waits for something then ends with the signal's reason. */
export async function startService(
  config: Config,
  telemetry: ServiceTelemetry,
  signal?: AbortSignal,
): Promise<Service> {
  const { url, nodeId, stop, stopped } = await startNode(config, telemetry, { http: config.http, signal })
  if (url === null) throw new Error('a node with an HTTP server has no URL')
  return { url, nodeId, stop, stopped }
}
