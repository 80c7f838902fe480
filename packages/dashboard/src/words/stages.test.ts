import { expect, test } from 'vitest'
import type { TransactionResource } from '../api/api-resources.ts'
import { ALLOCATED_EVENT, MINED_TX, QUEUED_TX, SENT_TX } from './sample-resources.suite.ts'
import { deriveStages } from './stages.ts'

const statuses = (tx: TransactionResource) => deriveStages(tx, [ALLOCATED_EVENT]).map(({ status }) => status)
const noteOf = (tx: TransactionResource, name: string) =>
  deriveStages(tx, [ALLOCATED_EVENT]).find((stage) => stage.name === name)?.note

test('a queued transaction waits for its nonce, and says why', () => {
  const tx: TransactionResource = { ...QUEUED_TX, subState: 'waiting_for_funds' }
  expect(statuses(tx)).toEqual(['done', 'current', 'ahead', 'ahead', 'ahead'])
  expect(noteOf(tx, 'Nonce')).toBe('waiting for funds')
})

test('a sent transaction waits for a block; each stage has its time', () => {
  expect(statuses(SENT_TX)).toEqual(['done', 'done', 'done', 'current', 'ahead'])
  const times = deriveStages(SENT_TX, [ALLOCATED_EVENT]).map(({ at }) => at)
  expect(times).toEqual([SENT_TX.createdAt, ALLOCATED_EVENT.at, SENT_TX.submittedAt, null, null])
})

test('a nonce that was assigned twice shows the second time', () => {
  const again = { ...ALLOCATED_EVENT, eventId: 9, at: '2030-01-01T00:01:00.000Z' }
  expect(deriveStages(SENT_TX, [ALLOCATED_EVENT, again])[1]?.at).toBe(again.at)
})

test('a mined transaction counts its confirmations', () => {
  expect(statuses(MINED_TX)).toEqual(['done', 'done', 'done', 'done', 'current'])
  expect(noteOf(MINED_TX, 'Mined')).toBe('block 1,000')
  expect(noteOf(MINED_TX, 'Final')).toBe('3 of 12 confirmations')
})

test('a reorged transaction is back before its block', () => {
  const tx: TransactionResource = { ...MINED_TX, subState: 'reorged', inclusion: null, receipt: null, minedAt: null }
  expect(statuses(tx)).toEqual(['done', 'done', 'done', 'current', 'ahead'])
  expect(noteOf(tx, 'Mined')).toBe('reorged out')
})

test('a stuck transaction is stuck at the stage that it cannot reach', () => {
  const stuck: TransactionResource = { ...SENT_TX, state: 'STUCK', subState: 'no_inclusion' }
  expect(statuses(stuck)).toEqual(['done', 'done', 'done', 'stuck', 'ahead'])
  const refused: TransactionResource = { ...stuck, subState: 'rejected_by_node', submittedAt: null }
  expect(statuses(refused)).toEqual(['done', 'done', 'stuck', 'ahead', 'ahead'])
})

test('what is final is done or failed, all the way', () => {
  const finalAt = '2030-01-01T00:01:00.000Z'
  const confirmed: TransactionResource = { ...MINED_TX, state: 'CONFIRMED', subState: 'final', finalAt }
  expect(statuses(confirmed)).toEqual(['done', 'done', 'done', 'done', 'done'])
  const receipt = MINED_TX.receipt && { ...MINED_TX.receipt, status: 'reverted' as const }
  const failed: TransactionResource = { ...confirmed, state: 'FAILED_FINAL', receipt }
  expect(statuses(failed)).toEqual(['done', 'done', 'done', 'failed', 'failed'])
})

test('a transaction dropped without a nonce skips the stages between', () => {
  const tx: TransactionResource = { ...QUEUED_TX, state: 'EXPIRED', subState: 'expired', finalAt: QUEUED_TX.createdAt }
  expect(statuses(tx)).toEqual(['done', 'skipped', 'skipped', 'skipped', 'failed'])
  expect(noteOf(tx, 'Final')).toBe('expired')
})
