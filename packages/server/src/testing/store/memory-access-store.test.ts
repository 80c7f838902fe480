import { describeAccessStore } from './conformance/access-store.suite.ts'
import { createMemoryAccessStore } from './memory-access-store.ts'

describeAccessStore('memory', async () => {
  const now = Date.UTC(2030, 0)
  const store = createMemoryAccessStore({ clock: { now: () => now } })
  return { store, now: async () => now, close: () => store.close() }
})
