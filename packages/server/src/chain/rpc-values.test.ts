import { describe, expect, test } from 'vitest'
import type { Hash } from '../core/hex.ts'
import { BadAnswer, parseReceiptLogs } from './rpc-values.ts'

const hash = (byte: string): Hash => `0x${byte.repeat(32)}`
const log = { address: `0x${'AB'.repeat(20)}`, topics: [hash('01')], data: '0xff', logIndex: '0x2', removed: false }
const receipt = { transactionHash: hash('aa'), blockHash: hash('bb'), logs: [log] }

describe('logs of a receipt', () => {
  test('are read with the block that they are of', () => {
    expect(parseReceiptLogs(receipt, hash('aa'))).toEqual({
      blockHash: hash('bb'),
      logs: [{ address: `0x${'ab'.repeat(20)}`, topics: [hash('01')], data: '0xff', logIndex: 2 }],
    })
  })

  test('are none while it is in no block', () => {
    expect(parseReceiptLogs({ ...receipt, blockHash: null }, hash('aa'))).toBeNull()
  })

  test.each([
    ['of another transaction', { ...receipt, transactionHash: hash('cc') }],
    ['without a list', { ...receipt, logs: 'none' }],
    ['with too many topics', { ...receipt, logs: [{ ...log, topics: Array(5).fill(hash('01')) }] }],
    ['with odd data', { ...receipt, logs: [{ ...log, data: '0xf' }] }],
    ['without a place', { ...receipt, logs: [{ ...log, logIndex: null }] }],
  ])('%s are refused', (_, answer) => {
    expect(() => parseReceiptLogs(answer, hash('aa'))).toThrow(BadAnswer)
  })
})
