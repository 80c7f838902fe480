import { expect, test } from 'vitest'
import { createLaneGauges, type LaneGauges } from './lane-gauges.ts'
import { findMetric } from './metrics.ts'

const foldOf = (name: string) => findMetric(name)?.lanes ?? 'sum'

function laneOf(signer: string) {
  return { chainId: 1, signer }
}

function report(gauges: LaneGauges, signers: readonly string[]): void {
  gauges.beginReport()
  for (const signer of signers) gauges.set('drover_lane_in_flight', 1, laneOf(signer))
  gauges.endReport()
}

test('a lane that this node no longer runs is no longer shown', () => {
  const gauges = createLaneGauges()
  gauges.set('drover_signer_balance_wei', 5, laneOf('0xa'))
  gauges.set('drover_signer_balance_wei', 7, laneOf('0xb'))
  report(gauges, ['0xb'])
  expect(gauges.list(10, foldOf).map(({ name, labels, value }) => [name, labels.signer, value])).toEqual([
    ['drover_signer_balance_wei', '0xb', 7],
    ['drover_lane_in_flight', '0xb', 1],
  ])
})

test('lanes past the limit are shown together, and the worst of them can still raise an alarm', () => {
  const gauges = createLaneGauges()
  for (const [signer, value] of [
    ['0xa', 1],
    ['0xc', 3],
    ['0xb', -9],
  ] as const) {
    gauges.set('drover_lane_in_flight', value, laneOf(signer))
    gauges.set('drover_signer_runway_transactions', value, laneOf(signer))
    gauges.set('drover_lane_oldest_unmined_seconds', value, laneOf(signer))
    gauges.set('drover_nonce_drift', value, laneOf(signer))
    gauges.set('drover_lane_problem', 1, { ...laneOf(signer), problem: 'stuck' })
  }
  const shown = gauges.list(1, foldOf)
  expect(shown.filter(({ labels }) => labels.signer === '0xa')).toHaveLength(5)
  expect(shown.filter(({ labels }) => labels.signer !== '0xa')).toEqual([
    { name: 'drover_lane_in_flight', value: -6, labels: laneOf('others') },
    { name: 'drover_signer_runway_transactions', value: -9, labels: laneOf('others') },
    { name: 'drover_lane_oldest_unmined_seconds', value: 3, labels: laneOf('others') },
    { name: 'drover_nonce_drift', value: -9, labels: laneOf('others') },
    { name: 'drover_lane_problem', value: 2, labels: { ...laneOf('others'), problem: 'stuck' } },
  ])
})

test('the number of series does not grow with the number of lanes', () => {
  const gauges = createLaneGauges()
  report(
    gauges,
    Array.from({ length: 5_000 }, (_, index) => `0x${index}`),
  )
  expect(gauges.list(100, foldOf)).toHaveLength(101)
  expect(gauges.list(0, foldOf)).toEqual([{ name: 'drover_lane_in_flight', value: 5_000, labels: laneOf('others') }])
})
