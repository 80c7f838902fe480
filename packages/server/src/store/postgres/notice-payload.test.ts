import { expect, test } from 'vitest'
import {
  amendNotice,
  EVENTS_APPENDED,
  laneNotice,
  NODES_CHANGED,
  parseNotice,
  WEBHOOKS_CHANGED,
} from './notice-payload.ts'

const lane = { chainId: 10, signer: `0x${'ab'.repeat(20)}` } as const

test.each(['lane.work', 'lane.asked', 'lane.released'] as const)('%s comes back with its lane', (type) => {
  expect(parseNotice(laneNotice(type, lane))).toEqual({ type, lane })
})

test('an amendment names its transaction; from a node of an earlier version it does not', () => {
  expect(parseNotice(amendNotice(lane, 'some-id'))).toEqual({ type: 'lane.amended', lane, txId: 'some-id' })
  const earlier = JSON.stringify({ type: 'lane.amended', ...lane })
  expect(parseNotice(earlier)).toEqual({ type: 'lane.amended', lane, txId: null })
})

test('those without a lane come back too', () => {
  expect(parseNotice(EVENTS_APPENDED)).toEqual({ type: 'events.appended' })
  expect(parseNotice(NODES_CHANGED)).toEqual({ type: 'nodes.changed' })
  expect(parseNotice(WEBHOOKS_CHANGED)).toEqual({ type: 'webhooks.changed' })
})

test.each([
  '',
  'hello',
  'null',
  '7',
  '[]',
  '{}',
  '{"type":"later"}',
  '{"type":"gap"}',
  '{"type":"lane.work","chainId":1}',
])('what is not ours is passed over: %s', (payload) => {
  expect(parseNotice(payload)).toBeNull()
})
