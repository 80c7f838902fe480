import { describeStore } from './conformance/store.suite.ts'
import { createMemoryStore } from './memory-store.ts'

describeStore('memory store', async () => {
  let now = Date.UTC(2030, 0)
  const store = createMemoryStore({ clock: { now: () => now } })
  return {
    store,
    elapse: async (ms) => {
      now += ms
    },
    close: () => store.close(),
  }
})
