import { expect, test } from 'vitest'
import type { FirePlace, MeterResult } from '../../ports/timer-store.ts'
import { createFireMeter } from './fire-meter.ts'

const LEASE = { chainId: 7, nodeId: 'node-a', fence: 1 }
const PLACE = { height: 9, position: 2 }

/** Answers in this order, and notes where each run began. */
function createScript(...answers: readonly Partial<MeterResult & { type: 'metered' }>[]) {
  const began: (FirePlace | null)[] = []
  const left = [...answers]
  const meterFires = async (_: unknown, after: FirePlace | null): Promise<MeterResult> => {
    began.push(after)
    return { type: 'metered', next: null, open: 0, retiring: 0, ...left.shift() }
  }
  return { began, meter: createFireMeter({ meterFires }, LEASE) }
}

test('while no fire is open, nothing is asked of the store', async () => {
  const { began, meter } = createScript({}, { open: 1 }, {})
  await meter(false)
  await meter(false)
  expect(began).toHaveLength(1)
  await meter(true)
  await meter(false)
  await meter(false)
  expect(began).toHaveLength(3)
})

test('a long line is metered in turns, and again from its start while any fire in it is open', async () => {
  const { began, meter } = createScript({ next: PLACE, open: 3 }, { open: 0 }, {}, {})
  for (let count = 0; count < 5; count++) await meter(false)
  expect(began).toEqual([null, PLACE, null])
})

test('commands to retire timers are to be answered at once', async () => {
  const { meter } = createScript({ open: 1, retiring: 2 })
  expect(await meter(true)).toEqual({ type: 'written', isAsked: true })
})
