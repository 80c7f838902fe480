/**
 * The composition root: creates the adapters (open-adapters.ts), hands them to what needs them (wire-engine.ts,
 * wire-api.ts), and starts and stops the whole in order. A start that fails leaves nothing open.
 */
import type { ApiServices } from '../api/api-services.ts'
import { listen } from '../api/server/listen.ts'
import type { Config } from '../config/config.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { keepSigners } from './keys/keep-signers.ts'
import { type Adapters, openAdapters } from './open-adapters.ts'
import { openRetention } from './open-retention.ts'
import { openTimers } from './open-timers.ts'
import { openTraces } from './open-traces.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createStartWait, type StartWait } from './start-wait.ts'
import { createSystemClock } from './system-clock.ts'
import { createServices, wireHttp } from './wire-api.ts'
import { wireEngine } from './wire-engine.ts'

export interface StartedNode {
  /** Null: it has no HTTP server. */
  readonly url: string | null
  readonly nodeId: string
  /** What the API is made of, for callers in this process. */
  readonly services: ApiServices
  readonly store: Adapters['store']
  readonly clock: Adapters['clock']
  stop(): Promise<void>
  /** Settles when the node has stopped; rejects when it broke. */
  readonly stopped: Promise<void>
}

export interface NodeOptions {
  /** Where it listens. Null: no HTTP server. */
  readonly http: Config['http'] | null
  readonly signal?: AbortSignal | undefined
}

type Parts = Awaited<ReturnType<typeof assemble>>

const NEVER_STOPPED = new AbortController().signal

export async function startNode(
  config: Config,
  telemetry: ServiceTelemetry,
  { http, signal = NEVER_STOPPED }: NodeOptions,
): Promise<StartedNode> {
  const clock = createSystemClock()
  const wait = createStartWait({ http, clock, telemetry, signal })
  const adapters = await openAdapters(config, { clock, telemetry, wait, http })
  const parts = await assemble(config, { adapters, telemetry, http }).catch(async (error: unknown) => {
    await wait.end()
    await adapters.close()
    throw error
  })
  let settle: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    settle = resolve
  })
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => {
    stopping ??= stopInOrder(parts).then(settle)
    return stopping
  }
  const url = await start(parts, wait).catch(async (error: unknown) => {
    await wait.end()
    await stop()
    throw error
  })
  const { nodeId, store } = adapters
  return { url, nodeId, services: parts.services, store, clock, stop, stopped }
}

interface Ground {
  readonly adapters: Adapters
  readonly telemetry: ServiceTelemetry
  readonly http: NodeOptions['http']
}

async function assemble(config: Config, { adapters, telemetry, http }: Ground) {
  const { nodeId, store, keys, random, clock, chains } = adapters
  telemetry.setNode(nodeId)
  const wired = await wireEngine(config, adapters, telemetry)
  const { engine, signers, rules, operate, paceOf } = wired
  const shared = { store, clock, random, telemetry, nodeId }
  const webhooks = openWebhooks(config, shared)
  const timing = openTimers(config, { ...shared, signers, rules, engine, operate, chains, paceOf })
  const retention = openRetention(config, { store, keys, clock, telemetry, nodeId })
  const traces = openTraces(config, shared)
  const apiParts = { adapters, wired, webhooks: webhooks.webhooks, timers: timing.timers, telemetry }
  const services = createServices(config, apiParts)
  const server = http === null ? null : wireHttp(config, services, apiParts)
  const keeping = keepSigners(config, adapters, { engine, telemetry })
  return { adapters, wired, webhooks, timing, retention, traces, services, server, keeping }
}

/** Returns its URL, if it has one. */
async function start(parts: Parts, wait: StartWait): Promise<string | null> {
  const { wired, webhooks, timing, retention, traces, server, keeping } = parts
  await wired.engine.start()
  keeping.start()
  await webhooks.start()
  await timing.start()
  retention.start()
  traces.start()
  const at = await wait.end()
  return server === null || at === null ? null : await listen(server, at)
}

async function stopInOrder(parts: Parts): Promise<void> {
  const { adapters, wired, webhooks, timing, retention, traces, keeping } = parts
  const { engine, intake, review, signers, rules, reservations, resets } = wired
  review.stop()
  // In parallel: a slow client must not keep the lanes from moving to a peer.
  const drained = closeToCallers(parts).then(() => intake.drain())
  await Promise.all([engine.stop(), webhooks.stop(), timing.stop(), retention.stop(), drained])
  await traces.stop()
  keeping.stop()
  signers.close()
  rules.close()
  reservations.close()
  resets.close()
  timing.timers.close()
  await Promise.all([webhooks.close(), timing.close(), adapters.close()])
}

async function closeToCallers({ server, services }: Parts): Promise<void> {
  if (server !== null) await server.close()
  else await Promise.all([services.eventStreams.close(), services.waits.close()])
}
