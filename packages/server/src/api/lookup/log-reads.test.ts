import { expect, test } from 'vitest'
import type { ReceiptLogs } from '../../ports/chain.ts'
import { createLogReads } from './log-reads.ts'

const HASH = `0x${'11'.repeat(32)}` as const
const FOUND: ReceiptLogs = { blockHash: HASH, logs: [] }

/** A node that answers when it is told to. */
function setUp() {
  const asked: ((logs: ReceiptLogs) => void)[] = []
  const findLogs = () => new Promise<ReceiptLogs>((resolve) => asked.push(resolve))
  const read = createLogReads({ chains: new Map([[1, { findLogs }]]), sharePercent: 50 })
  return { asked, read }
}

test('a tenant that asks for many leaves the node to others', async () => {
  const { asked, read } = setUp()
  const many = Array.from({ length: 20 }, () => read(1, HASH, 'ann'))
  expect(asked).toHaveLength(4)
  const other = read(1, HASH, 'bob')
  expect(asked).toHaveLength(5)
  asked[4]?.(FOUND)
  expect(await other).toEqual(FOUND)
  for (let next = 0; next < 21; next++) {
    asked[next]?.(FOUND)
    await Promise.resolve()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(many)).toHaveLength(20)
})

test('requests beyond the queue are refused with a time to retry', async () => {
  const { read } = setUp()
  const refused: unknown[] = []
  for (let index = 0; index < 120; index++) read(1, HASH, 'ann').catch((error) => refused.push(error))
  await new Promise(setImmediate)
  expect(refused).toHaveLength(16)
  expect(refused[0]).toMatchObject({ code: 'tenant_limit', details: { retryAfterMs: 1_000 } })
})

test('a chain that is not followed has no logs', async () => {
  expect(await setUp().read(2, HASH)).toBeNull()
})
