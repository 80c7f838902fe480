import type { Lane } from '@drover/client'
import { expect, test } from 'vitest'
import { PLAIN } from '../output/style.ts'
import { presentLane } from './present-lane.ts'

const AT = '2030-01-01T00:00:00.000Z'
const LANE = {
  address: `0x${'11'.repeat(20)}`,
  chainId: 1,
  label: null,
  nextNonce: 9,
  queued: 0,
  inFlight: 0,
  stuck: 0,
  reserved: 0,
  free: 0,
  lowestReserved: null,
  balance: null,
  window: null,
  lease: null,
  paused: false,
  key: { source: 'keystore', place: '/keys', canSign: true, problem: null, since: null },
  lastSignedAt: null,
  lastConfirmationAt: null,
  lastNonceMovementAt: null,
  createdAt: AT,
  chain: null,
  policy: {},
  problems: [],
} as unknown as Lane

test.each([
  [0, null],
  [-3, /^nonce drift +the chain is 3 ahead of the next nonce: something else uses this key$/m],
  [2, /^nonce drift +2 nonces below the next one are neither used nor reserved$/m],
])('the nonce count of the chain is shown, with a drift of %i', (drift, said) => {
  const text = presentLane({ ...LANE, chain: { latest: 9, pending: 12, drift, at: AT } }, PLAIN)
  expect(text).toMatch(/^chain count +latest 9, pending 12, at 2030/m)
  if (said === null) expect(text).not.toContain('nonce drift')
  else expect(text).toMatch(said)
})

test.each([
  [{ queued: 0, inFlight: 0 }, 'idle'],
  [{ queued: 1, inFlight: 0 }, 'working'],
  [{ queued: 0, inFlight: 1 }, 'working'],
])('a signer that a node runs, with %o, is %s: as on the page', (load, status) => {
  const lease = { node: 'n', fence: 1, expiresAt: AT, live: true }
  expect(presentLane({ ...LANE, ...load, lease }, PLAIN)).toMatch(new RegExp(`^status +${status}$`, 'm'))
})
