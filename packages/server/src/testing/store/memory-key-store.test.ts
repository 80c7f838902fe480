import { describeKeyStore } from './conformance/key-store.suite.ts'
import { createMemoryKeyStore } from './memory-key-store.ts'

describeKeyStore('memory', async () => {
  const store = createMemoryKeyStore()
  return { store, close: store.close }
})
