/**
 * The composition root: creates the adapters (open-adapters.ts), hands them to what needs them (wire-engine.ts,
 * wire-api.ts), and starts and stops the whole in order.
 */
import { listen } from '../api/server/listen.ts'
import type { Config } from '../config/config.ts'
import type { ServiceTelemetry } from '../telemetry/telemetry.ts'
import { keepSigners } from './keys/keep-signers.ts'
import { openAdapters } from './open-adapters.ts'
import { openTimers } from './open-timers.ts'
import { openWebhooks } from './open-webhooks.ts'
import { createStartWait } from './start-wait.ts'
import { createSystemClock } from './system-clock.ts'
import { wireApi } from './wire-api.ts'
import { wireEngine } from './wire-engine.ts'

export interface Service {
  readonly url: string
  readonly nodeId: string
  stop(): Promise<void>
  /** Settles when the service has stopped; rejects when it broke. */
  readonly stopped: Promise<void>
}

const NEVER_STOPPED = new AbortController().signal

/** `signal`: stop. A start that still waits for something then ends with the signal's reason. */
export async function startService(
  config: Config,
  telemetry: ServiceTelemetry,
  signal: AbortSignal = NEVER_STOPPED,
): Promise<Service> {
  const clock = createSystemClock()
  const wait = createStartWait({ http: config.http, clock, telemetry, signal })
  const adapters = await openAdapters(config, { clock, telemetry, wait })
  const { nodeId, store, random } = adapters
  const wired = await wireEngine(config, adapters, telemetry)
  const { engine, intake, signers, reservations, resets, review, rules } = wired
  const webhooks = openWebhooks(config, { store, clock, random, telemetry, nodeId })
  const timing = openTimers(config, {
    store,
    clock,
    random,
    telemetry,
    nodeId,
    signers,
    rules,
    engine,
    chains: adapters.chains,
  })
  const server = wireApi(config, {
    adapters,
    wired,
    webhooks: webhooks.webhooks,
    timers: timing.timers,
    telemetry,
  })
  const keeping = keepSigners(config, adapters, { engine, telemetry })
  await engine.start()
  keeping.start()
  await webhooks.start()
  await timing.start()
  const url = await listen(server, await wait.end()).catch(async (error: unknown) => {
    await Promise.all([engine.stop(), webhooks.stop(), timing.stop()])
    keeping.stop()
    await Promise.all([webhooks.close(), timing.close(), adapters.close()])
    throw error
  })
  let stopping: Promise<void> | null = null
  let settle: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    settle = resolve
  })

  async function stopInOrder(): Promise<void> {
    review.stop()
    // In parallel: a slow client must not keep the lanes from moving to a peer.
    await Promise.all([engine.stop(), webhooks.stop(), timing.stop(), server.close().then(() => intake.drain())])
    keeping.stop()
    signers.close()
    rules.close()
    reservations.close()
    resets.close()
    timing.timers.close()
    await Promise.all([webhooks.close(), timing.close(), adapters.close()])
    settle()
  }

  return {
    url,
    nodeId,
    stopped,
    stop: () => {
      stopping ??= stopInOrder()
      return stopping
    },
  }
}
