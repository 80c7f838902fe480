import { expect, test } from 'vitest'
import { findDrift } from './find-drift.ts'

test.each([
  ['a lane that never sent fits whatever the chain counts', { cursor: null, latest: 9, held: [] }, 0],
  ['nothing on its way', { cursor: 5, latest: 5, held: [] }, 0],
  ['all on their way, one of them mined', { cursor: 8, latest: 6, held: [5, 6, 7] }, 0],
  ['a nonce that is reserved and listed twice counts once', { cursor: 7, latest: 6, held: [6, 6] }, 0],
  ['the chain is past the cursor', { cursor: 5, latest: 8, held: [] }, -3],
  ['nonces that nobody holds', { cursor: 8, latest: 5, held: [6] }, 2],
])('%s', (_, scene, drift) => {
  expect(findDrift(scene)).toBe(drift)
})
