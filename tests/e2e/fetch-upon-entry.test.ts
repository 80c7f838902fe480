/** `fetchReceiptUponEntry` on: a mined transaction is found by its hash, long before anybody looks for blocks. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SingleNode, startSingleNode } from '../faults/single-node.ts'

let node: SingleNode

beforeAll(async () => {
  node = await startSingleNode({
    preset: 'stable',
    env: {
      DROVER_FETCH_RECEIPT_UPON_ENTRY: 'true',
      DROVER_POLL_INTERVAL: '10m',
      DROVER_STALE_RECEIPT_TIMEOUT: '1h',
      DROVER_RESUBMIT_INTERVAL: '1h',
      DROVER_FINALITY: '0',
    },
  })
  await node.chain.setAutomine(true)
})

afterAll(() => node?.close())

test('each transaction is confirmed as soon as it is sent', async () => {
  for (let nonce = 0; nonce < 2; nonce++) {
    const id = await node.send()
    expect(await node.until(id, ({ state }) => state === 'CONFIRMED')).toMatchObject({ nonce })
  }
})
