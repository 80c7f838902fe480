/** This node's share of the timers: takes the leases of chains that no node runs, and runs them until they are lost. */
import type { ChainView } from '../../core/chain/finality.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Notice } from '../../ports/notice.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { TimerLease, TimerStore } from '../../ports/timer-store.ts'
import type { Operate } from '../operate/operate.ts'
import type { JudgeFires } from '../rules/judge-fires.ts'
import type { UpstreamPace } from '../tenants/upstream-pace.ts'
import { createWithdrawals } from './cancel-withdrawn.ts'
import type { ChainTimerSettings } from './chain-timer-settings.ts'
import { type ChainTimers, createChainTimers } from './chain-timers.ts'

export interface TimerHost {
  start(): Promise<void>
  stop(): Promise<void>
}

interface HostedChain {
  readonly chain: AgreedReads
  readonly settings: ChainTimerSettings
  /** How much of its nodes each tenant may use; left out: whatever fits. */
  readonly pace?: UpstreamPace | undefined
}

interface TimerHostPorts {
  readonly store: TimerStore
  readonly notices: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly lease: { readonly ttlMs: number; readonly renewIntervalMs: number }
  readonly chains: ReadonlyMap<number, HostedChain>
  /** The spending rules; left out: there are none. */
  readonly judgeFires?: JudgeFires
  viewOf(chainId: number): ChainView | null
  readonly operate: Operate
  /** Whether this node can follow the chain: if not, it leaves the timers to other nodes. */
  isReachable(chainId: number): boolean
  onChain(listener: (chainId: number) => void): () => void
}

interface Held {
  readonly lease: TimerLease
  readonly timers: ChainTimers
}

export function createTimerHost(ports: TimerHostPorts): TimerHost {
  const { store, clock, telemetry, nodeId, lease, chains } = ports
  const cancelWithdrawn = createWithdrawals(ports)
  const held = new Map<number, Held>()
  let isStopped = false
  let keeping: Promise<void> | null = null
  let cancelRenewal = (): void => {}
  let unlisten = (): void => {}
  let unfollow = (): void => {}

  function hear(notice: Notice): void {
    if (notice.type === 'timers.asked') held.get(notice.chainId)?.timers.ask()
    else if (notice.type === 'timers.released') void keep()
    else if (notice.type === 'gap') for (const { timers } of held.values()) timers.ask()
  }

  function keep(): Promise<void> {
    keeping ??= renew()
      .catch((error: unknown) => {
        telemetry.log('warn', 'could not renew timer leases; retrying', { error: String(error) })
      })
      .finally(() => {
        keeping = null
        cancelRenewal()
        if (!isStopped) cancelRenewal = clock.schedule(lease.renewIntervalMs, () => void keep())
      })
    return keeping
  }

  async function renew(): Promise<void> {
    if (isStopped) return
    const wanted = [...chains.keys()].filter((chainId) => ports.isReachable(chainId))
    for (const [chainId] of held) if (!wanted.includes(chainId)) await leave(chainId)
    const leases = wanted.length === 0 ? [] : await store.keepTimerLeases(nodeId, wanted, lease.ttlMs)
    const kept = new Map(leases.map((each) => [each.chainId, each]))
    for (const [chainId, { lease: before }] of held) if (kept.get(chainId)?.fence !== before.fence) await drop(chainId)
    for (const each of leases) if (!held.has(each.chainId) && !isStopped) take(each)
    // A fallback for notices, which may be lost.
    for (const { timers } of held.values()) timers.ask()
  }

  function take(own: TimerLease): void {
    const { chainId } = own
    const found = chains.get(chainId)
    if (found === undefined) return
    const timers = createChainTimers({
      lease: own,
      store,
      clock,
      telemetry,
      random: ports.random,
      chain: found.chain,
      settings: found.settings,
      pace: found.pace,
      ...(ports.judgeFires !== undefined && { judgeFires: ports.judgeFires }),
      view: () => ports.viewOf(chainId),
      cancelWithdrawn,
      onFenced: () => {
        if (held.get(chainId)?.lease.fence === own.fence) held.delete(chainId)
      },
    })
    held.set(chainId, { lease: own, timers })
  }

  /** The lease is lost: any further write is refused. */
  async function drop(chainId: number): Promise<void> {
    const own = held.get(chainId)
    held.delete(chainId)
    await own?.timers.stop()
  }

  async function leave(chainId: number): Promise<void> {
    const own = held.get(chainId)
    await drop(chainId)
    if (own !== undefined) await store.releaseTimerLeases([own.lease])
  }

  return {
    start: async () => {
      unlisten = ports.notices.listen(hear)
      unfollow = ports.onChain((chainId) => held.get(chainId)?.timers.look())
      await keep()
    },
    stop: async () => {
      isStopped = true
      cancelRenewal()
      unlisten()
      unfollow()
      await keeping
      const leases = [...held.values()].map(({ lease: each }) => each)
      await Promise.all([...held.keys()].map(drop))
      await store.releaseTimerLeases(leases).catch((error: unknown) => {
        telemetry.log('warn', 'could not release timer leases; they expire by themselves', { error: String(error) })
      })
    },
  }
}
