import { expect, test } from 'vitest'
import { describeEvent } from './describe-event.ts'

const BARE = { cause: null, toState: null, detail: {} }

test('a nonce and a block are named', () => {
  expect(describeEvent({ ...BARE, type: 'nonce.allocated', detail: { nonce: 0 } }).title).toBe('Signed with nonce 0')
  const seen = { ...BARE, type: 'inclusion.seen', detail: { blockNumber: 12_345, succeeded: true } }
  expect(describeEvent(seen).title).toBe('Mined in block 12,345')
})

test('a preconfirmed block is named as such, and a broken promise is shown', () => {
  const promised = { ...BARE, type: 'preconfirmation.seen', detail: { blockNumber: 12_345, succeeded: true } }
  expect(describeEvent(promised).title).toBe('Preconfirmed in block 12,345')
  const reverting = { ...promised, detail: { blockNumber: 1, succeeded: false } }
  expect(describeEvent(reverting)).toMatchObject({ title: 'Preconfirmed as reverted in block 1', tone: 'warn' })
  expect(describeEvent({ ...BARE, type: 'preconfirmation.lost' }).tone).toBe('warn')
})

test('a revert and a failure are bad, a confirmation is good', () => {
  const reverted = { ...BARE, type: 'inclusion.seen', detail: { blockNumber: 1, succeeded: false } }
  expect(describeEvent(reverted)).toMatchObject({ title: 'Reverted in block 1', tone: 'bad' })
  expect(describeEvent({ ...BARE, type: 'finality.reached', toState: 'FAILED_FINAL' }).tone).toBe('bad')
  expect(describeEvent({ ...BARE, type: 'finality.reached', toState: 'CONFIRMED' }).tone).toBe('good')
})

test('the error of the node is shown once', () => {
  const event = { ...BARE, type: 'broadcast.answered', cause: 'pool_full', detail: { nodeSaid: 'txpool is full' } }
  expect(describeEvent(event)).toEqual({
    title: 'Refused: the mempool is full',
    detail: 'txpool is full',
    tone: 'warn',
  })
  const twice = { ...BARE, type: 'stuck.declared', cause: 'x', detail: { message: 'same', nodeSaid: 'same' } }
  expect(describeEvent(twice).detail).toBe('same')
})

test('an operator is named with the reason given', () => {
  const event = { ...BARE, type: 'operator.suspended', cause: 'operator', detail: { actor: 'ana', reason: 'audit' } }
  expect(describeEvent(event).detail).toBe('ana: audit')
})

test('an unknown event is shown by its type', () => {
  expect(describeEvent({ ...BARE, type: 'moon.rose', cause: 'night' })).toEqual({
    title: 'moon.rose',
    detail: 'night',
    tone: 'plain',
  })
  expect(describeEvent({ ...BARE, type: 'broadcast.answered', cause: 'new_outcome' }).title).toBe('broadcast.answered')
})

test.each([
  'reservation.granted',
  'reservation.extended',
  'reservation.returned',
  'finality.broken',
  'chain.unreachable',
  'cursor.reset',
  'operator.sped_up',
])('%s has words of its own', (type) => {
  expect(describeEvent({ ...BARE, type }).title).not.toBe(type)
})
