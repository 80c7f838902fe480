import { describeTimerStore } from '../conformance/timer-store.suite.ts'
import { createMemoryStore } from '../memory-store.ts'
import { createMemoryTimerStore } from './memory-timer-store.ts'

describeTimerStore('memory', async () => {
  let now = Date.UTC(2030, 0)
  const clock = { now: () => now }
  const store = createMemoryStore({ clock })
  return {
    store,
    timers: createMemoryTimerStore({ clock, transactions: store }),
    elapse: async (ms) => {
      now += ms
    },
    close: () => store.close(),
  }
})
