import type { Transaction } from '@drover/client'
import { parseInput, ruleSetRequest } from '@drover/server/contract'
import { expect, test } from 'vitest'
import { createReplay } from './replay-rules.ts'
import { readSubject } from './rule-subject.ts'

const PAYEE = `0x${'ab'.repeat(20)}`

function tx(id: string, value: string, createdAt: string): Transaction {
  const part = { id, value, createdAt, chainId: 1, to: PAYEE, data: '0x', receipt: { fee: '5' } }
  return part as unknown as Transaction
}

test('past transactions are judged in time, one after the other', () => {
  const rules = parseInput(ruleSetRequest, {
    mode: 'report',
    value: { perDay: '10' },
    approval: { above: '7', of: 1, keys: ['ann'] },
  })
  const replay = createReplay(rules)
  replay.add(tx('a', '8', '2026-01-01T00:00:00Z'))
  replay.add(tx('b', '4', '2026-01-01T01:00:00Z'))
  replay.add(tx('c', '4', '2026-01-03T00:00:00Z'))
  expect(replay.result()).toMatchObject({
    allowed: 2,
    refused: 1,
    toApprove: 1,
    first: [{ id: 'b', rule: 'value.perDay', message: expect.stringContaining('8 wei is used') }],
  })
})

test('a subject is an address or the id of a key', () => {
  expect(readSubject(PAYEE)).toEqual({ type: 'signer', address: PAYEE })
  expect(readSubject('0123456789abcdef')).toEqual({ type: 'key', id: '0123456789abcdef' })
  expect(() => readSubject('ann')).toThrow('neither')
})
