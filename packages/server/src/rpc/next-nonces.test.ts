import { expect, test } from 'vitest'
import type { Forwarder } from './forwarder.ts'
import { createNextNonces } from './next-nonces.ts'

const LANE = { chainId: 1, signer: `0x${'a1'.repeat(20)}` } as const

test('a transaction that is sent while the chain is asked counts once', async () => {
  let line: { cursor: number | null; recyclable: number[]; queued: number } = {
    cursor: null,
    recyclable: [],
    queued: 1,
  }
  const forward: Forwarder['forward'] = async () => {
    // The one in the queue took nonce 13 and was sent.
    line = { cursor: 14, recyclable: [], queued: 0 }
    return '0xe'
  }
  const nonces = createNextNonces({
    store: { readNonceLine: async () => line },
    signers: { peek: () => null },
    forwarder: { forTenant: () => ({ forward, forwardEach: async () => [] }) },
  })
  expect(await nonces.read(LANE)).toBe(14)
})
