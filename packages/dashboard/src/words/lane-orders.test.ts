import { expect, test } from 'vitest'
import { listLaneOrders } from './lane-orders.ts'

const names = (lane: Parameters<typeof listLaneOrders>[0]) => listLaneOrders(lane).map(({ name }) => name)

test('a lane is paused or resumed, and gaps are filled where nonces are free', () => {
  const lane = { paused: false, free: 0, inFlight: 3 }
  expect(names(lane)).toEqual(['Pause', 'Reset nonce', 'Cancel all, then reset', 'Remove'])
  expect(names({ ...lane, paused: true, free: 2 })).toEqual([
    'Resume',
    'Fill gap',
    'Reset nonce',
    'Cancel all, then reset',
    'Remove',
  ])
  expect(listLaneOrders({ ...lane, free: 1 })[1]?.effect).toContain('(1 unused)')
})
