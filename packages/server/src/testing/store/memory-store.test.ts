import { describeStore } from './conformance/store.suite.ts'
import { createMemoryState } from './memory-state.ts'
import { createMemoryStore } from './memory-store.ts'

describeStore('memory store', async () => {
  let now = Date.UTC(2030, 0)
  const clock = { now: () => now }
  const state = createMemoryState(clock.now)
  const store = createMemoryStore({ clock, state })
  return {
    store,
    elapse: async (ms) => {
      now += ms
    },
    revokeKey: async (id) => void state.revokedKeys.add(id),
    close: () => store.close(),
  }
})
