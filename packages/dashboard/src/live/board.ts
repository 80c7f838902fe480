/** Figures that no event carries, written down as they are seen, so that they can be drawn over time. */
import type { FeesResource } from '../api/api-resources.ts'
import type { Overview } from './overview.ts'
import { createTimeSeries } from './time-series.ts'

export type Board = ReturnType<typeof createBoard>

export function createBoard() {
  const queued = createTimeSeries('mean')
  const inFlight = createTimeSeries('mean')
  const baseFee = createTimeSeries('mean')
  return {
    queued,
    inFlight,
    /** In gwei. */
    baseFee,
    noteLoad(atMs: number, { lanes }: Pick<Overview, 'lanes'>): void {
      queued.add(
        atMs,
        lanes.reduce((sum, lane) => sum + lane.queued, 0),
      )
      inFlight.add(
        atMs,
        lanes.reduce((sum, lane) => sum + lane.inFlight, 0),
      )
    },
    noteFees(
      atMs: number,
      { nextBaseFeePerGas, gasPrice }: Pick<FeesResource, 'nextBaseFeePerGas' | 'gasPrice'>,
    ): void {
      baseFee.add(atMs, Number(nextBaseFeePerGas ?? gasPrice) / 1e9)
    },
  }
}
