/**
 * Wakes the lanes of this node: on notices from the store, and by slow timers behind them. Notices are only hints. The
 * timers find what they missed, with one statement for all lanes.
 */
import type { Clock } from '../ports/clock.ts'
import type { Notice } from '../ports/notice.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { LaneKeeper } from './cluster/lane-keeper.ts'

export interface LaneWakes {
  /** Listens to notices from now on. */
  listen(): void
  startTimers(): void
  stop(): Promise<void>
}

interface WakePorts {
  readonly store: Pick<Store, 'listen' | 'readExpired' | 'lanesAsked' | 'lanesWithWork'>
  readonly keeper: Pick<LaneKeeper, 'find' | 'running' | 'poke'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly queuePollMs: number
  readonly balanceIntervalMs: number
}

const EXPIRE_BATCH = 1_000

export function createLaneWakes(ports: WakePorts): LaneWakes {
  const { store, keeper, clock, telemetry, nodeId } = ports
  let stopped = false
  let polling: Promise<void> | null = null
  let cancelPoll = (): void => {}
  let cancelBalances = (): void => {}
  let unlisten = (): void => {}

  function onNotice(notice: Notice): void {
    switch (notice.type) {
      case 'lane.work':
        keeper.find(notice.lane)?.post({ type: 'work' })
        return
      case 'lane.asked':
        keeper.find(notice.lane)?.post({ type: 'asked' })
        return
      case 'lane.amended':
        keeper.find(notice.lane)?.post({ type: 'amended', txIds: notice.txId === null ? null : [notice.txId] })
        return
      case 'lane.released':
      case 'nodes.changed':
        keeper.poke()
        return
      case 'gap':
        keeper.poke()
        for (const runner of keeper.running()) runner.post({ type: 'amended', txIds: null })
        return
      case 'events.appended':
        return
    }
  }

  async function pollQueues(): Promise<void> {
    try {
      for (const tx of await store.readExpired(nodeId, EXPIRE_BATCH))
        keeper.find(tx.intent.lane)?.post({ type: 'expired', transactions: [tx] })
      for (const lane of await store.lanesAsked(nodeId)) keeper.find(lane)?.post({ type: 'asked' })
      for (const lane of await store.lanesWithWork(nodeId)) keeper.find(lane)?.post({ type: 'work' })
    } catch (error) {
      telemetry.log('warn', 'could not poll the queues; retrying', { error })
    }
    if (!stopped) schedulePoll()
  }

  function schedulePoll(): void {
    cancelPoll = clock.schedule(ports.queuePollMs, () => {
      polling = pollQueues()
    })
  }

  /** All lanes at once, so that they share a request. */
  function scheduleBalances(): void {
    cancelBalances = clock.schedule(ports.balanceIntervalMs, () => {
      for (const runner of keeper.running()) runner.post({ type: 'balance.due' })
      scheduleBalances()
    })
  }

  return {
    listen: () => {
      unlisten = store.listen(onNotice)
    },
    startTimers: () => {
      schedulePoll()
      scheduleBalances()
    },
    stop: async () => {
      stopped = true
      cancelPoll()
      cancelBalances()
      unlisten()
      await polling
    },
  }
}
