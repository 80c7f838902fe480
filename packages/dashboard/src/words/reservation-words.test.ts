import { expect, test } from 'vitest'
import type { ReservationResource } from '../api/api-resources.ts'
import { describeReservation, summarizeTaken } from './reservation-words.ts'

const at = '2026-01-02T03:04:05.000Z'
const RESERVED: ReservationResource = {
  id: 'r-1',
  chainId: 1,
  address: '0x01',
  state: 'RESERVED',
  nonce: 7,
  lockedUntil: at,
  ttlMs: 60_000,
  tenant: 'shop',
  holder: 'till (ab12)',
  label: null,
  requestId: null,
  hash: null,
  hashes: [],
  inclusion: null,
  result: null,
  alarm: null,
  fillOrderedAt: null,
  createdAt: at,
  reservedAt: at,
  usedAt: null,
  minedAt: null,
  finalAt: null,
}

test('each state has a sentence', () => {
  expect(describeReservation(RESERVED)).toBe(`reserved until ${at}`)
  expect(describeReservation({ ...RESERVED, state: 'USED' })).toBe('sent by its holder')
  expect(describeReservation({ ...RESERVED, state: 'USED', fillOrderedAt: at })).toBe(
    'being filled with an empty transaction',
  )
})

test('results are summed up, with the reason for those left over', () => {
  const taken = (outcome: 'released' | 'filled' | 'left', why: string | null = null) => ({
    reservation: RESERVED,
    outcome,
    why,
  })
  expect(summarizeTaken([])).toBe('There were no reserved nonces.')
  expect(summarizeTaken([taken('released'), taken('filled'), taken('left', 'it is mined')])).toBe(
    '1 released, 1 being filled, 1 left (it is mined).',
  )
})
