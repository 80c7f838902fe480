import { randomUUID } from 'node:crypto'
import { describeWebhookStore } from './conformance/webhook-store.suite.ts'
import { createMemoryStore } from './memory-store.ts'
import { createMemoryWebhookStore } from './memory-webhook-store.ts'

describeWebhookStore('memory', async () => {
  let now = Date.UTC(2030, 0)
  const clock = { now: () => now }
  const store = createMemoryStore({ clock })
  return {
    store,
    webhooks: createMemoryWebhookStore({ clock, events: store, newId: randomUUID }),
    elapse: async (ms) => {
      now += ms
    },
    close: () => store.close(),
  }
})
