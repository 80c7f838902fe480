/** The parts of a lane, wired together: each watches one thing, and none of them stores anything by itself. */

import { createLaneFunds, type LaneFunds } from '../balance/lane-funds.ts'
import { createLaneProblems, type LaneProblems } from '../balance/lane-problems.ts'
import { type CountWatch, createCountWatch } from '../chain-counts/count-watch.ts'
import { createHealthNotes, type HealthNotes } from '../follow/health-notes.ts'
import { createGapWatch, type GapWatch } from '../gaps/gap-watch.ts'
import { createLaneQueue, type LaneQueue } from '../queue/lane-queue.ts'
import { createReplacer, type Replacer } from '../replace/replacer.ts'
import { createKeptWaiting, type KeptWaiting } from '../reservations/kept-waiting.ts'
import { createLaneRequests, type LaneRequests } from '../reservations/lane-requests.ts'
import { NO_REVIEW } from '../rules/review-signing.ts'
import { createLaneWindow, type LaneWindow } from '../window/lane-window.ts'
import type { LanePorts } from './lane-ports.ts'
import type { LaneRunner } from './lane-runner.ts'
import { createLaneSender, type SendInOrder } from './lane-sender.ts'

export interface LaneParts {
  readonly funds: LaneFunds
  readonly problems: LaneProblems
  readonly replacer: Replacer
  readonly gaps: GapWatch
  readonly counts: CountWatch
  readonly healthNotes: HealthNotes
  readonly window: LaneWindow
  readonly queue: LaneQueue
  readonly requests: LaneRequests
  readonly keptWaiting: KeptWaiting
  readonly send: SendInOrder
}

export function createLaneParts(runner: LaneRunner, ports: LanePorts, hasStopped: () => boolean): LaneParts {
  const { lease, post } = runner
  const { store, chain, signer, clock, random, telemetry, tracker, settings, rules = NO_REVIEW } = ports
  const { maxTxFeeWei: chainMaxFeeWei, prepareRetryMs: retryMs, sharePercent, balanceIntervalMs } = settings
  const beside = { chain, clock, telemetry, lane: lease.lane, wake: () => post({ type: 'tick' }) }
  const finality = () => runner.finalityOf({ finality: null })
  const funds = createLaneFunds({ ...beside, balances: ports.balances, balanceIntervalMs })
  return {
    funds,
    problems: createLaneProblems({ telemetry, lane: lease.lane }),
    replacer: createReplacer({ ...beside, signer, chainMaxFeeWei, rules }),
    gaps: createGapWatch(beside),
    counts: createCountWatch(beside),
    healthNotes: createHealthNotes(),
    window: createLaneWindow({ ...beside, account: funds.account }),
    queue: createLaneQueue({
      store,
      chain,
      clock,
      random,
      telemetry,
      lease,
      funds,
      post,
      finality,
      batch: settings.prepareBatch,
      chainMaxFeeWei,
      rules,
    }),
    requests: createLaneRequests({
      lease,
      store,
      chain,
      clock,
      telemetry,
      post,
      finality,
      retryMs,
      sharePercent,
      watch: (reservations) => tracker.follow(runner, reservations),
      lookUp: tracker.lookUp,
    }),
    keptWaiting: createKeptWaiting({ ...beside, store }),
    send: createLaneSender({
      broadcaster: ports.broadcaster,
      clock,
      telemetry,
      mayAct: ports.mayAct,
      hasStopped,
      post,
    }),
  }
}
