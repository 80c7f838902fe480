import { expect, test } from 'vitest'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { hashOf, inclusionIn, proofOf, queued } from '../../testing/core/sample-transactions.ts'
import { createLaneInbox } from './lane-inbox.ts'
import type { LaneSignal } from './lane-runner.ts'

function chain(number: number, forkFrom: number | null = null): Extract<LaneSignal, { type: 'chain' }> {
  const head: Header = { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: number }
  const view: ChainView = { head, safe: null, finalized: null, header: () => null }
  return { type: 'chain', view, forkFrom, added: [{ ...head, txHashes: [] }] }
}

function addedIn(signal: LaneSignal | undefined): readonly number[] {
  return signal?.type === 'chain' ? (signal.added ?? []).map(({ number }) => number) : []
}

const seen: LaneSignal = { type: 'inclusions', inclusions: [{ txId: 'tx-1', inclusion: inclusionIn(9) }] }

test('an hour of blocks, polls and ticks without a cycle stays a handful', () => {
  const inbox = createLaneInbox()
  const expired: LaneSignal = { type: 'expired', transactions: [queued()] }
  for (let number = 1; number <= 3_600; number++) {
    for (const signal of [chain(number), expired, { type: 'work' } as const, { type: 'tick' } as const])
      inbox.put(signal)
    inbox.put({ type: 'nonce.lost', txId: 'tx-1', nonce: 1, proof: proofOf() })
  }
  expect(inbox.takeAll()).toHaveLength(5)
  expect(inbox.isEmpty()).toBe(true)
})

test('looks at the chain become the newest one, with the lowest fork of all, after the inclusions that it judges', () => {
  const inbox = createLaneInbox()
  for (const signal of [chain(10), chain(11, 9), seen, chain(12, 11), chain(13)]) inbox.put(signal)
  const [first, second] = inbox.takeAll()
  expect(first).toBe(seen)
  expect(second).toMatchObject({ type: 'chain', forkFrom: 9, view: { head: { number: 13 } } })
})

test('the blocks of every look are kept: each may have had room for the lowest nonce', () => {
  const inbox = createLaneInbox()
  for (const signal of [chain(10), chain(11), seen, chain(12)]) inbox.put(signal)
  expect(addedIn(inbox.takeAll()[1])).toEqual([10, 11, 12])
})

test('an hour of blocks without a cycle keeps the newest of them', () => {
  const inbox = createLaneInbox()
  for (let number = 1; number <= 3_600; number++) inbox.put(chain(number))
  const added = addedIn(inbox.takeAll()[0])
  expect(added.length).toBeLessThanOrEqual(64)
  expect(added.at(-1)).toBe(3_600)
})

test('amendments add up, until there are so many that the whole lane is read', () => {
  const inbox = createLaneInbox()
  const amend = (...txIds: readonly string[]) => inbox.put({ type: 'amended', txIds })
  amend('a')
  amend('b', 'a')
  expect(inbox.takeAll()).toEqual([{ type: 'amended', txIds: ['a', 'b'] }])
  for (let count = 0; count <= 100; count++) amend(`tx-${count}`)
  expect(inbox.takeAll()).toEqual([{ type: 'amended', txIds: null }])
  inbox.put({ type: 'amended', txIds: null })
  amend('a')
  expect(inbox.takeAll()).toEqual([{ type: 'amended', txIds: null }])
})

test('answers and inclusions are each kept, in order', () => {
  const inbox = createLaneInbox()
  const answers: LaneSignal = { type: 'answers', answers: [] }
  for (const signal of [answers, seen, answers, seen]) inbox.put(signal)
  expect(inbox.takeAll()).toEqual([answers, seen, answers, seen])
})

test('what could not be dealt with comes back before what arrived since', () => {
  const inbox = createLaneInbox()
  inbox.put(chain(12))
  inbox.putBack([seen, chain(11, 10), { type: 'prepare.failed' }])
  expect(inbox.takeAll().map(({ type }) => type)).toEqual(['inclusions', 'prepare.failed', 'chain'])
})

test('only the news that nodes took everything is not urgent', () => {
  const inbox = createLaneInbox()
  const answered = (outcome: SendOutcome): LaneSignal => ({
    type: 'answers',
    answers: [{ txId: 'tx-1', hash: hashOf(1), outcome }],
  })
  expect(inbox.isUrgent()).toBe(false)
  inbox.put(answered({ type: 'accepted' }))
  inbox.put(answered({ type: 'already_known' }))
  expect([inbox.isUrgent(), inbox.isEmpty()]).toEqual([false, false])
  inbox.put(answered({ type: 'pool_full', message: 'txpool is full' }))
  expect(inbox.isUrgent()).toBe(true)
  inbox.takeAll()
  inbox.put(chain(12))
  expect(inbox.isUrgent()).toBe(true)
})
