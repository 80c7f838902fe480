import type { Transaction } from '@drover/client'
import { expect, test } from 'vitest'
import { matchSent, type SentTransaction } from './match-sent.ts'

const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function sent(nonce: number, given: Partial<SentTransaction> = {}): SentTransaction {
  return { nonce, hash: `0x${nonce}`, blockNumber: nonce, to: TO.toLowerCase(), value: '1', data: '0x', ...given }
}

function queued(id: string, given: Partial<Transaction> = {}): Transaction {
  const rest = { to: TO, value: '1', data: '0x', suspended: false, approval: null, notBefore: null, ...given }
  return { id, ...rest } as Transaction
}

const pairs = (chain: readonly SentTransaction[], waiting: readonly Transaction[]) =>
  matchSent(chain, waiting).map(({ sent: { nonce }, queued: found, doubt }) => [nonce, found?.id ?? null, doubt])

test('the same receiver, value and data is the same transaction, whatever the case of the letters', () => {
  expect(pairs([sent(7)], [queued('a')])).toEqual([[7, 'a', null]])
})

test.each([
  ['receiver', { to: null }],
  ['value', { value: '2' }],
  ['data', { data: '0x01' }],
])('another %s is another transaction', (_, given) => {
  expect(pairs([sent(7, given)], [queued('a')])).toEqual([[7, null, null]])
})

test('of several alike, as many as were sent, the oldest first', () => {
  expect(pairs([sent(8), sent(7)], [queued('a'), queued('b'), queued('c')])).toEqual([
    [7, 'a', null],
    [8, 'b', null],
  ])
})

test('more were sent than are queued: the rest is unknown here', () => {
  expect(pairs([sent(7), sent(8)], [queued('a')])).toEqual([
    [7, 'a', null],
    [8, null, null],
  ])
})

test.each([
  ['is suspended', { suspended: true }],
  ['is scheduled', { notBefore: { height: 9 } }],
  ['needs approval', { approval: { state: 'WAITING' } }],
])('one that %s counts only after those that could go, and with a doubt', (doubt, given) => {
  const held = queued('held', given as Partial<Transaction>)
  expect(pairs([sent(7), sent(8)], [held, queued('free')])).toEqual([
    [7, 'free', null],
    [8, 'held', doubt],
  ])
})
