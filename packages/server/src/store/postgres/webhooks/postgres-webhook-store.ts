/** Webhooks in PostgreSQL, over a few connections of their own: a slow receiver must never delay a lane. */
import type { WebhookId } from '../../../core/webhook/webhook.ts'
import type { DueDelivery, WebhookChange, WebhookStore } from '../../../ports/webhook-store.ts'
import { createDatabase, type DatabaseOptions } from '../database.ts'
import { planDeliveries, pruneDeliveries, readDue, settleDeliveries } from './delivery-statements.ts'
import { sealSecrets } from './seal-secrets.ts'
import { createSecretBox, type SecretBox } from './secret-box.ts'
import { keepWebhooks, releaseWebhooks } from './webhook-lease-statements.ts'
import {
  deleteWebhook,
  findWebhook,
  insertTest,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  updateWebhook,
} from './webhook-statements.ts'

const CONNECTIONS = 3

interface WebhookStoreOptions extends DatabaseOptions {
  /** If omitted, secrets are stored in plain text. */
  readonly secrets?: SecretBox
}

export interface PostgresWebhookStore extends WebhookStore {
  /** Call once at the start: encrypts secrets that are stored any other way with the current key. */
  sealSecrets(): Promise<{ readonly unreadable: number }>
}

export function createPostgresWebhookStore(options: WebhookStoreOptions): PostgresWebhookStore {
  const { secrets = createSecretBox([]) } = options
  const database = createDatabase({ poolSize: CONNECTIONS, ...options })
  return {
    sealSecrets: () => sealSecrets(database, secrets),
    insertWebhook: (webhook, most) =>
      insertWebhook(database, { ...webhook, secret: secrets.seal(webhook.secret, webhook.id) }, most),
    listWebhooks: () => listWebhooks(database),
    findWebhook: (id) => findWebhook(database, id),
    updateWebhook: (id, change) => updateWebhook(database, id, sealChange(change, id, secrets)),
    deleteWebhook: (id) => deleteWebhook(database, id),
    listDeliveries: (id, page) => listDeliveries(database, id, page),
    redeliver: (id, deliveryId) => redeliver(database, id, deliveryId),
    insertTest: (id, test) => insertTest(database, id, test),
    keepWebhooks: (nodeId, nodes, ttlMs) => keepWebhooks(database, nodeId, nodes, ttlMs),
    releaseWebhooks: (nodeId, ids) => releaseWebhooks(database, nodeId, ids),
    planDeliveries: (nodeId, limits) => planDeliveries(database, nodeId, limits),
    readDue: async (nodeId, rooms) => {
      const { due, ...rest } = await readDue(database, nodeId, rooms)
      return { due: due.map((each) => openSecrets(each, secrets)), ...rest }
    },
    settleDeliveries: (nodeId, results, disableAfterMs) => settleDeliveries(database, nodeId, results, disableAfterMs),
    pruneDeliveries: (olderThanMs, limit) => pruneDeliveries(database, olderThanMs, limit),
    close: () => database.close(),
  }
}

function sealChange(change: WebhookChange, id: WebhookId, box: SecretBox): WebhookChange {
  const { newSecret } = change
  return newSecret === undefined
    ? change
    : { ...change, newSecret: { ...newSecret, secret: box.seal(newSecret.secret, id) } }
}

/** Secrets that cannot be decrypted are left out. A delivery without any is not sent. */
function openSecrets(due: DueDelivery, box: SecretBox): DueDelivery {
  return { ...due, secrets: due.secrets.flatMap((secret) => box.open(secret, due.delivery.webhookId) ?? []) }
}
