/** Puts together what webhooks need: their store, what posts to them, the loop that delivers, and what the API changes. */
import { presentEvent } from '../api/present-event.ts'
import { createWebhooks, type Webhooks } from '../api/webhooks.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createPostgresWebhookStore } from '../store/postgres-webhook-store.ts'
import { createPoster } from '../webhooks/post-delivery.ts'
import { createWebhookDeliverer } from '../webhooks/webhook-deliverer.ts'
import { findTargetProblem } from '../webhooks/webhook-target.ts'

interface WebhookPorts {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  readonly nodeId: string
}

export interface OpenWebhooks {
  readonly webhooks: Webhooks
  start(): Promise<void>
  /** Stops delivering; what is under way may come to its end. */
  stop(): Promise<void>
  close(): Promise<void>
}

export function openWebhooks(config: Config, ports: WebhookPorts): OpenWebhooks {
  const { clock, random, telemetry } = ports
  const { allowPrivate, timeoutMs, max: maxWebhooks, secretOverlapMs } = config.webhooks
  const store = createPostgresWebhookStore({
    databaseUrl: config.database.url,
    telemetry,
    applicationName: 'drover webhooks',
    statementTimeoutMs: Math.min(10_000, Math.floor(config.lease.durationMs * (2 / 3))),
  })
  const deliverer = createWebhookDeliverer({
    ...ports,
    webhooks: store,
    poster: createPoster({ allowPrivate, timeoutMs, now: clock.now }),
    settings: config.webhooks,
    lease: { ttlMs: config.lease.durationMs, renewIntervalMs: config.lease.renewIntervalMs },
    present: presentEvent,
  })
  const target = { findTargetProblem: (url: URL) => findTargetProblem(url, { allowPrivate }) }
  return {
    webhooks: createWebhooks({ ...target, store, clock, random, maxWebhooks, secretOverlapMs }),
    start: deliverer.start,
    stop: deliverer.stop,
    close: store.close,
  }
}
