import { expect, test } from 'vitest'
import type { InFlight } from '../../core/transaction/transaction.ts'
import { mined, stuck, T0, tracking } from '../../testing/core/sample-transactions.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { QueueSize } from '../tenants/queue-depth.ts'
import { createLaneReport } from './lane-report.ts'
import type { LaneRunner } from './lane-runner.ts'

const { lane } = tracking('pending').intent
const LABELS = { chainId: lane.chainId, signer: lane.signer }

function create() {
  const telemetry = createRecordingTelemetry()
  const state: { inFlight: readonly InFlight[] | null } = { inFlight: null }
  const runner: LaneRunner = {
    lease: { lane, nodeId: 'a', fence: 1 },
    finalityOf: () => ({ type: 'finalized' }),
    inFlight: () => state.inFlight,
    post: () => {},
    stop: async () => {},
  }
  const { report } = createLaneReport(telemetry)
  return {
    state,
    report: (now: number, queue: QueueSize | null = null) => report([runner], { now, queueOf: () => queue }),
    shown: (name: string) => telemetry.valueOf(name, LABELS),
  }
}

test('a lane reports what waits for a block, what waits for finality, what is stuck, and the longest wait', () => {
  const { state, report, shown } = create()
  state.inFlight = [mined(), tracking('pending'), stuck('no_inclusion')]
  report(T0 + 90_000, { queued: 4, oldestAt: T0 - 10_000 })
  expect(['in_flight', 'unfinal', 'stuck', 'queued'].map((name) => shown(`drover_lane_${name}`))).toEqual([2, 1, 1, 4])
  expect(shown('drover_lane_oldest_unmined_seconds')).toBe(100)
  report(T0 + 90_000, { queued: 0, oldestAt: null })
  expect(shown('drover_lane_oldest_unmined_seconds')).toBe(90)
})

test('what is mined no longer waits', () => {
  const { state, report, shown } = create()
  state.inFlight = [mined()]
  report(T0 + 90_000)
  expect([shown('drover_lane_unfinal'), shown('drover_lane_oldest_unmined_seconds')]).toEqual([1, 0])
})

test('a lane that is being loaded again keeps what was counted', () => {
  const { state, report, shown } = create()
  state.inFlight = [tracking('pending')]
  report(T0)
  state.inFlight = null
  report(T0 + 5_000)
  expect([shown('drover_lane_in_flight'), shown('drover_lane_oldest_unmined_seconds')]).toEqual([1, 5])
})
