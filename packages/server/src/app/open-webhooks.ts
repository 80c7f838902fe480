/** Assembles what webhooks need: their store, the HTTP sender, the delivery loop, and the API that changes them. */

import { createWebhooks, type Webhooks } from '../api/lookup/webhooks.ts'
import { presentEvent } from '../api/present/present-event.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import {
  createPostgresWebhookStore,
  type PostgresWebhookStore,
} from '../store/postgres/webhooks/postgres-webhook-store.ts'
import { createSecretBox, type SecretBox } from '../store/postgres/webhooks/secret-box.ts'
import { createPoster } from '../webhooks/post-delivery.ts'
import { createWebhookDeliverer } from '../webhooks/webhook-deliverer.ts'
import { findTargetProblem } from '../webhooks/webhook-target.ts'
import { sessionTimeouts } from './session-timeouts.ts'

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
  /** Stops delivering; deliveries in progress may finish. */
  stop(): Promise<void>
  close(): Promise<void>
}

export function openWebhooks(config: Config, ports: WebhookPorts): OpenWebhooks {
  const { clock, random, telemetry } = ports
  const { allowPrivate, timeoutMs, max: maxWebhooks, secretOverlapMs } = config.webhooks
  const secrets = createSecretBox(config.secretsKeys)
  const store = createPostgresWebhookStore({
    secrets,
    databaseUrl: config.database.url,
    poolerUrl: config.database.poolerUrl,
    telemetry,
    applicationName: 'drover webhooks',
    ...sessionTimeouts(config.lease.durationMs),
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
    start: async () => {
      // Secrets that could not be sealed now are sealed at the next start. They are still readable.
      await logSecrets(store, secrets, telemetry).catch((error: unknown) => {
        telemetry.log('warn', 'could not read the webhook secrets', { error: String(error) })
      })
      await deliverer.start()
    },
    stop: deliverer.stop,
    close: store.close,
  }
}

/** Once, at the start. */
async function logSecrets(store: PostgresWebhookStore, { hasKey }: SecretBox, telemetry: Telemetry): Promise<void> {
  const { unreadable } = await store.sealSecrets()
  if (unreadable > 0) {
    const message =
      'webhook secrets are encrypted with another key, so nothing can be delivered to them: add the key to secretsKey'
    telemetry.log('error', message, { webhooks: unreadable })
  }
  if (hasKey || (await store.listWebhooks()).length === 0) return
  telemetry.log('warn', 'webhook secrets are stored in plain text; set DROVER_SECRETS_KEY to encrypt them')
}
