/** Webhooks in PostgreSQL, over a few connections of their own: a slow receiver must never hold up a lane. */
import type { WebhookStore } from '../ports/webhook-store.ts'
import { createDatabase, type DatabaseOptions } from './database.ts'
import { planDeliveries, pruneDeliveries, readDue, settleDeliveries } from './delivery-statements.ts'
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

export function createPostgresWebhookStore(options: DatabaseOptions): WebhookStore {
  const database = createDatabase({ poolSize: CONNECTIONS, ...options })
  return {
    insertWebhook: (webhook, most) => insertWebhook(database, webhook, most),
    listWebhooks: () => listWebhooks(database),
    findWebhook: (id) => findWebhook(database, id),
    updateWebhook: (id, change) => updateWebhook(database, id, change),
    deleteWebhook: (id) => deleteWebhook(database, id),
    listDeliveries: (id, page) => listDeliveries(database, id, page),
    redeliver: (id, deliveryId) => redeliver(database, id, deliveryId),
    insertTest: (id, test) => insertTest(database, id, test),
    keepWebhooks: (nodeId, nodes, ttlMs) => keepWebhooks(database, nodeId, nodes, ttlMs),
    releaseWebhooks: (nodeId, ids) => releaseWebhooks(database, nodeId, ids),
    planDeliveries: (nodeId, limits) => planDeliveries(database, nodeId, limits),
    readDue: (nodeId, rooms) => readDue(database, nodeId, rooms),
    settleDeliveries: (nodeId, results, disableAfterMs) => settleDeliveries(database, nodeId, results, disableAfterMs),
    pruneDeliveries: (olderThanMs, limit) => pruneDeliveries(database, olderThanMs, limit),
    close: () => database.close(),
  }
}
