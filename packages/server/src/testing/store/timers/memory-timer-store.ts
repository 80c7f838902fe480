/** Timers as a model in memory: same answers and refusals as PostgreSQL gives, each call one step. */
import { mayUse } from '../../../core/access/caller.ts'
import { type Fire, isBetweenTimes, type ManagedTimer } from '../../../core/timer/timer.ts'
import { isTerminal } from '../../../core/transaction/transaction.ts'
import type { Notice } from '../../../ports/notice.ts'
import type { TimerFilter, TimerStore } from '../../../ports/timer-store.ts'
import { createMemoryTimerBlocks } from './memory-timer-blocks.ts'
import { createMemoryTimerCommands } from './memory-timer-commands.ts'
import { createMemoryMeter, sumCost } from './memory-timer-costs.ts'
import { createMemoryTimerState, type MemoryFire, type MemoryPorts, type MemoryTimer } from './memory-timer-state.ts'

export interface MemoryTimerStore extends TimerStore {
  listen(listener: (notice: Notice) => void): () => void
}

export function createMemoryTimerStore({ clock, transactions }: MemoryPorts): MemoryTimerStore {
  const state = createMemoryTimerState(clock)
  const { chains, timers, listeners, chainOf, isHeld, isHeldBy } = state

  async function present(found: readonly MemoryTimer[]): Promise<readonly ManagedTimer[]> {
    const all: ManagedTimer[] = []
    for (const { baseFires: _baseFires, failures, ...timer } of found) {
      const fires = chainOf(timer.spec.chainId).fires.filter(({ timerId }) => timerId === timer.id)
      const sent = await transactions.findTransactions(fires.flatMap(({ txId }) => txId ?? []))
      all.push(structuredClone({ ...timer, cost: { ...sumCost(sent.filter(isTerminal)), failures } }))
    }
    return all
  }

  async function presentOne(found: MemoryTimer | undefined): Promise<ManagedTimer | null> {
    return found === undefined ? null : ((await present([found]))[0] ?? null)
  }

  async function presentFires(fires: readonly MemoryFire[]): Promise<readonly Fire[]> {
    const found = await transactions.findTransactions(fires.flatMap(({ txId }) => txId ?? []))
    const sent = new Map(found.map((tx) => [tx.id, tx]))
    return fires.map(({ isWithdrawn: _isWithdrawn, isMetered: _isMetered, ...fire }) => {
      const { state: txState = null, error: txError = null } = sent.get(fire.txId ?? '') ?? {}
      return structuredClone({ ...fire, txState, txError })
    })
  }

  const newestFirst = () => [...timers.values()].sort((a, b) => b.place - a.place)

  return {
    ...createMemoryTimerCommands(state),
    ...createMemoryTimerBlocks(state, transactions),
    meterFires: createMemoryMeter(state, transactions),
    keepTimerLeases: async (nodeId, chainIds, ttlMs) =>
      chainIds.flatMap((chainId) => {
        const chain = chainOf(chainId)
        if (isHeld(chain) && chain.owner !== nodeId) return []
        if (!isHeld(chain)) {
          chain.owner = nodeId
          chain.fence += 1
        }
        chain.expiresAt = clock.now() + ttlMs
        return [{ chainId, nodeId, fence: chain.fence }]
      }),
    releaseTimerLeases: async (leases) => {
      for (const lease of leases.filter(isHeldBy)) {
        chainOf(lease.chainId).owner = null
        state.notify({ type: 'timers.released', chainId: lease.chainId })
      }
    },
    findTimerLease: async (chainId) => {
      const chain = chainOf(chainId)
      return isHeld(chain) ? { chainId, nodeId: chain.owner ?? '', fence: chain.fence } : null
    },
    loadTimers: async (chainId) => {
      const { tip, seq, snapshot, blocks, log, fires } = chainOf(chainId)
      return {
        tip,
        lastSeq: seq,
        snapshot,
        blocks: blocks.filter(({ height }) => height > (snapshot?.block.height ?? -1)),
        commands: log.filter((each) => each.seq > (snapshot?.seq ?? 0)),
        observed: fires.flatMap((fire) => (fire.state === 'OBSERVED' ? [{ ...fire, state: fire.state }] : [])),
      }
    },
    saveSnapshot: async (lease, snapshot) => {
      if (!isHeldBy(lease)) return { type: 'fenced' }
      const chain = chainOf(lease.chainId)
      chain.snapshot = structuredClone(snapshot)
      chain.blocks = chain.blocks.filter(({ height }) => height > snapshot.block.height)
      return { type: 'written' }
    },
    readIncarnations: async (kernelIds) => kernelIds.flatMap((id) => state.incarnations.get(id) ?? []),
    countTimers: async (chainId, of, atMost) =>
      Math.min(
        atMost,
        newestFirst().filter(
          (timer) =>
            timer.spec.chainId === chainId &&
            ('tenant' in of ? timer.tenant === of.tenant : timer.spec.owner === of.owner) &&
            (!('target' in of) || timer.spec.target === of.target) &&
            (timer.state === 'ACTIVE' || (timer.state === 'PAUSED' && !('target' in of))),
        ).length,
      ),
    findTimer: async (id) => await presentOne(timers.get(id)),
    listBetweenTimes: async (chainId, limit) =>
      await present(
        [...timers.values()].filter((timer) => timer.spec.chainId === chainId && isBetweenTimes(timer)).slice(0, limit),
      ),
    findTimers: async (ids) => await present([...new Set(ids)].flatMap((id) => timers.get(id) ?? [])),
    findTimersByKernelId: async (kernelIds) => await present(kernelIds.flatMap((id) => state.findByKernelId(id) ?? [])),
    findTimersByRequest: async (requests) =>
      await Promise.all(
        requests.map(({ chainId, tenant, requestId }) =>
          presentOne(
            [...timers.values()].find(
              (timer) => timer.requestId === requestId && timer.tenant === tenant && timer.spec.chainId === chainId,
            ),
          ),
        ),
      ),
    listTimers: async (filter, { before, limit }) =>
      await present(
        newestFirst()
          .filter((timer) => fits(timer, filter) && (before === null || timer.place < before))
          .slice(0, limit),
      ),
    listFires: async (timerId, { before, limit }) => {
      const found = [...chains.values()]
        .flatMap(({ fires }) => fires.filter((fire) => fire.timerId === timerId))
        .sort((a, b) => b.height - a.height || b.position - a.position)
        .filter(
          ({ height, position }) =>
            before === null || height < before.height || (height === before.height && position < before.position),
        )
        .slice(0, limit)
      return await presentFires(found)
    },
    readTip: async (chainId) => chainOf(chainId).tip,
    readQueue: async (chainId) => {
      const { tip, queue, fires } = chainOf(chainId)
      const hasObserved = fires.some((fire) => fire.state === 'OBSERVED')
      return tip === null ? null : structuredClone({ tip, queue, hasObserved })
    },
    listen: (listener) => {
      const own: typeof listener = (notice) => listener(notice)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    close: async () => listeners.clear(),
  }
}

function fits({ spec, state }: MemoryTimer, { chainId, owner, target, states, reach }: TimerFilter): boolean {
  return (
    (chainId === undefined || spec.chainId === chainId) &&
    (owner === undefined || spec.owner === owner) &&
    (target === undefined || spec.target === target) &&
    (states === undefined || states.includes(state)) &&
    (reach === undefined || mayUse(reach, { chainId: spec.chainId, signer: spec.owner }))
  )
}
