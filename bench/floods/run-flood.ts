/** One flood: a calm that it is compared with, the flood, the time until all is mined, and what is left afterwards. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Observed, observe } from '../attack/victim.ts'
import { checkOutcome, type Outcome, untilNothingIsOpen } from './check-outcome.ts'
import type { Flood } from './floods-list.ts'
import { percentiles } from './percentiles.ts'
import { startGround } from './start-ground.ts'
import { watchNode } from './watch-node.ts'

export interface FloodResult {
  readonly name: string
  readonly memoryMb: { readonly before: number; readonly peak: number; readonly after: number }
  readonly acceptedPerSecond: number
  readonly refusedPerSecond: number
  /** By status and code. */
  readonly refused: Readonly<Record<string, number>>
  /** Of the other tenant, calm and flooded, in milliseconds. */
  readonly accept: Compared
  readonly read: Compared
  readonly failures: Readonly<Record<string, number>>
  readonly longestQueue: number
  readonly longestWebhookQueue: number
  readonly outcome: Outcome
  readonly notes: readonly string[]
}

type Percentiles = ReturnType<typeof percentiles>
export interface Compared {
  readonly calm: Percentiles
  readonly flooded: Percentiles
}

export interface FloodTimes {
  readonly floodMs: number
  /** From the end of the flood to the last look at the memory. */
  readonly afterMs: number
}

const WARM_UP_MS = 5_000
const MAX_CALM_MS = 20_000

export async function runFlood(flood: Flood, { floodMs, afterMs }: FloodTimes): Promise<FloodResult> {
  const ground = await startGround(flood.ground)
  try {
    const other = { url: ground.url, token: ground.token.other, signer: ground.signer.other }
    // First: what a flood measures of the node alone, it measures while no other tenant counts as active.
    const begin = await flood.prepare(ground)
    await untilNothingIsOpen(ground)
    const warmUp = await observe(other, WARM_UP_MS)
    const calm = await observe(other, Math.min(floodMs, MAX_CALM_MS))
    const watch = await watchNode(ground.pid, ground.databaseUrl)
    const before = await watch.memoryMb()
    const running = await begin()
    const flooded = await observe(other, floodMs)
    const report = await running.end()
    const endedAt = performance.now()
    await untilNothingIsOpen(ground)
    await pause(Math.max(0, afterMs - (performance.now() - endedAt)))
    const after = await watch.memoryMb()
    const { peakMb, ...queues } = await watch.stop()
    const ids = [warmUp, calm, flooded, report].flatMap(({ accepted }) => accepted)
    const refusals = Object.values(report.refused).reduce((sum, each) => sum + each, 0)
    return {
      name: flood.name,
      memoryMb: { before, peak: peakMb, after },
      acceptedPerSecond: report.accepted.length / report.seconds,
      refusedPerSecond: refusals / report.seconds,
      refused: report.refused,
      accept: compare('accept', calm, flooded),
      read: compare('read', calm, flooded),
      failures: flooded.failures,
      ...queues,
      outcome: await checkOutcome(ground, ids),
      notes: report.notes,
    }
  } finally {
    await ground.stop()
  }
}

function compare(what: 'accept' | 'read', calm: Observed, flooded: Observed): Compared {
  const times = ({ latencies }: Observed) => latencies[what].map(({ ms }) => ms)
  return { calm: percentiles(times(calm)), flooded: percentiles(times(flooded)) }
}
