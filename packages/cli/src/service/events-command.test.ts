import type { ConfirmationUpdate, DroverEvent } from '@drover/client'
import { expect, test } from 'vitest'
import { PLAIN } from '../output/style.ts'
import { presentConfirmations, presentEvent } from './events-command.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const EVENT: DroverEvent = {
  eventId: 17,
  transactionId: ID,
  chainId: 1,
  from: `0x${'11'.repeat(20)}`,
  type: 'nonce.allocated',
  cause: null,
  fromState: 'QUEUED',
  toState: 'ALLOCATED',
  subState: 'signed',
  node: null,
  fence: null,
  count: 1,
  completion: null,
  at: '2030-01-01T00:00:00.000Z',
  lastAt: '2030-01-01T00:00:00.000Z',
  detail: { hash: `0x${'22'.repeat(32)}` },
}
const HEAD = `17  2030-01-01T00:00:00.000Z  ${ID}  nonce.allocated  ALLOCATED signed`

test('an event is printed in full when piped', () => {
  expect(presentEvent(EVENT, PLAIN)).toBe(`${HEAD}  hash=0x${'22'.repeat(32)}`)
})

test('a narrow terminal cuts details, never the id or the event', () => {
  expect(presentEvent(EVENT, { ...PLAIN, width: 60 })).toBe(HEAD)
  const wide = presentEvent(EVENT, { ...PLAIN, width: 120 })
  expect(wide).toHaveLength(120)
  expect(wide).toMatch(/^17 .* signed {2}hash=0x2+…$/)
})

test('confirmations show the count and the block', () => {
  const update: ConfirmationUpdate = {
    transactionId: ID,
    chainId: 1,
    from: EVENT.from,
    blockNumber: 7,
    blockHash: '0x07',
    count: 2,
    required: 12,
    newFork: false,
    confirmations: [{ blockNumber: 9, blockHash: '0x09' }],
  }
  expect(presentConfirmations(update)).toBe(`${ID}  2 of 12  block 9 0x09`)
  expect(presentConfirmations({ ...update, required: 'safe', newFork: true })).toBe(
    `${ID}  2, until safe  block 9 0x09  whole list`,
  )
})
