import { expect, test } from 'vitest'
import { findConcerns } from './concerns.ts'
import { LANE } from './sample-resources.suite.ts'

const READY = { ready: true, problems: [] }

test('nothing is said where all is well, an idle signer without an owner included', () => {
  expect(findConcerns(READY, [LANE, { ...LANE, inFlight: 5 }, { ...LANE, lease: null }])).toEqual([])
})

test('stuck transactions lead to themselves', () => {
  const [concern] = findConcerns(READY, [{ ...LANE, label: 'payouts', stuck: 2 }])
  expect(concern).toEqual({
    level: 'bad',
    text: 'payouts: 2 transactions are stuck',
    href: `#/?state=stuck&from=${LANE.address}`,
  })
})

test('a reservation that holds up its signer is named, and leads to the signer', () => {
  const lowestReserved = {
    ...{ nonce: 7, reservationId: 'r-1', holder: 'till (ab12)', tenant: 'shop', lockedUntil: LANE.createdAt },
    ...{ isUsed: true, isFilling: false, hash: null, alarm: 'unknown_hash' as const },
  }
  expect(findConcerns(READY, [{ ...LANE, stuckReserved: 1, lowestReserved }])).toEqual([
    {
      level: 'bad',
      text: '0xf39F…2266: nonce 7, reserved by till (ab12), holds up the signer',
      href: expect.stringContaining(LANE.address),
    },
  ])
})

test('work that no live node owns is told', () => {
  const expired = { node: 'gone', fence: 4, expiresAt: LANE.createdAt, live: false }
  const texts = findConcerns(READY, [
    { ...LANE, queued: 3, lease: null },
    { ...LANE, inFlight: 1, lease: expired },
  ]).map(({ text }) => text)
  expect(texts).toEqual([
    '0xf39F…2266: no node works on it, and 3 wait',
    '0xf39F…2266: no node works on it, and 1 wait',
  ])
})

test('the worst comes first', () => {
  const unready = { ready: false, problems: [{ part: 'database', message: 'does not answer' }] }
  const concerns = findConcerns(unready, [
    { ...LANE, paused: true },
    { ...LANE, stuck: 1 },
  ])
  expect(concerns.map(({ level }) => level)).toEqual(['bad', 'bad', 'warn'])
  expect(concerns[0]?.text).toBe('Database: does not answer')
})

test('an RPC endpoint that is not used as it should be is told, with the reason', () => {
  const endpoint = {
    ...{ name: 'a.example', since: LANE.createdAt, inUse: false, head: null, lagBlocks: 12, errorRate: 0 },
    ...{ latencyMs: 5, callsPerSecond: null, lastError: { message: 'HTTP 429', at: LANE.createdAt } },
  }
  const chain = {
    ...{ chainId: 1, head: null, safe: null, finalized: null, finality: 12, following: true, lastError: null },
    health: { state: 'ok', since: null, message: null } as const,
    endpoints: (['healthy', 'lagging', 'rate_limited'] as const).map((state) => ({ ...endpoint, state })),
  }
  expect(findConcerns(READY, [], [chain]).map(({ text }) => text)).toEqual([
    'RPC endpoint a.example: lagging, 12 blocks behind',
    'RPC endpoint a.example: rate limited, HTTP 429',
  ])
})

test.each([
  [-1, 'the chain is 1 nonce ahead: something else uses this key'],
  [3, '3 nonces below the next one are neither used nor held'],
])('a nonce cursor that does not fit the chain (%i) is told', (drift, words) => {
  const chain = { latest: 7, pending: 7, drift, at: LANE.createdAt }
  expect(findConcerns(READY, [{ ...LANE, label: 'payouts', chain }])).toEqual([
    { level: 'warn', text: `payouts: ${words}`, href: `#/signer/${LANE.address}` },
  ])
  expect(findConcerns(READY, [{ ...LANE, chain: { ...chain, drift: 0 } }])).toEqual([])
})
