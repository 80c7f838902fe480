/**
 * The gauges of lanes that are only worth counting when somebody looks: what is in flight, and for how long. Counted
 * from memory. A lane that is being loaded keeps what was counted last.
 */
import type { Lane } from '../../core/lane/lane.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, inclusionOf } from '../../core/transaction/transaction.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { QueueSize } from '../tenants/queue-depth.ts'
import type { LaneRunner } from './lane-runner.ts'

export interface LaneReport {
  report(runners: Iterable<LaneRunner>, scene: ReportScene): void
}

export interface ReportScene {
  readonly now: number
  /** Null: not counted yet. */
  queueOf(lane: Lane): QueueSize | null
}

interface Counted {
  readonly inFlight: number
  readonly unfinal: number
  readonly stuck: number
  /** When the oldest that no block has was accepted; null: there is none. */
  readonly oldestAt: number | null
}

const NOTHING: Counted = { inFlight: 0, unfinal: 0, stuck: 0, oldestAt: null }

export function createLaneReport(telemetry: Pick<Telemetry, 'gauge'>): LaneReport {
  const counted = new WeakMap<LaneRunner, Counted>()

  function count(runner: LaneRunner): Counted {
    const inFlight = runner.inFlight()
    const now = inFlight === null ? (counted.get(runner) ?? NOTHING) : countInFlight(inFlight)
    counted.set(runner, now)
    return now
  }

  return {
    report(runners, { now, queueOf }) {
      for (const runner of runners) {
        const { chainId, signer } = runner.lease.lane
        const labels = { chainId, signer }
        const { inFlight, unfinal, stuck, oldestAt } = count(runner)
        const queue = queueOf(runner.lease.lane)
        const oldest = Math.min(oldestAt ?? now, queue?.oldestAt ?? now)
        telemetry.gauge('drover_lane_in_flight', inFlight, labels)
        telemetry.gauge('drover_lane_unfinal', unfinal, labels)
        telemetry.gauge('drover_lane_stuck', stuck, labels)
        telemetry.gauge('drover_lane_oldest_unmined_seconds', Math.max(0, now - oldest) / 1_000, labels)
        if (queue !== null) telemetry.gauge('drover_lane_queued', queue.queued, labels)
      }
    },
  }
}

function countInFlight(transactions: Iterable<InFlight>): Counted {
  let { inFlight, unfinal, stuck, oldestAt } = NOTHING
  for (const tx of transactions) {
    if (inclusionOf(tx) !== null) unfinal++
    else inFlight++
    if (tx.state === 'STUCK') stuck++
    if (awaitsBlock(tx) && tx.createdAt < (oldestAt ?? Number.POSITIVE_INFINITY)) oldestAt = tx.createdAt
  }
  return { inFlight, unfinal, stuck, oldestAt }
}
