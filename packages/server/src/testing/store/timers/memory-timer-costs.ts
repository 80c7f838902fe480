/** What fires have cost, in the model: from the final transactions that a store in memory has. */
import { findEarlier, type TimerCost } from '../../../core/timer/timer.ts'
import { isTerminal, type Transaction } from '../../../core/transaction/transaction.ts'
import type { FirePlace, MeterResult, TimerLease, TimerStore } from '../../../ports/timer-store.ts'
import { UNANSWERED } from './memory-timer-commands.ts'
import type { MemoryFire, MemoryPorts, MemoryTimer, MemoryTimerState } from './memory-timer-state.ts'

export function createMemoryMeter(
  state: MemoryTimerState,
  transactions: Pick<MemoryPorts['transactions'], 'findTransactions'>,
): TimerStore['meterFires'] {
  const { timers, commands, chainOf } = state

  async function findFinal(chainId: number): Promise<ReadonlyMap<string, Transaction>> {
    const ids = chainOf(chainId).fires.flatMap(({ txId }) => txId ?? [])
    return new Map((await transactions.findTransactions(ids)).filter(isTerminal).map((tx) => [tx.id, tx]))
  }

  function meter(
    lease: TimerLease,
    after: FirePlace | null,
    limit: number,
    final: ReadonlyMap<string, Transaction>,
  ): MeterResult {
    if (!state.isHeldBy(lease)) return { type: 'fenced' }
    const chain = chainOf(lease.chainId)
    const looked = chain.fires
      .filter(({ isMetered, txId }) => txId !== null && !isMetered)
      .filter((fire) => after === null || comparePlaces(fire, after) > 0)
      .sort(comparePlaces)
      .slice(0, limit)
    const metered = looked.filter(({ txId }) => final.has(txId ?? ''))
    chain.fires = chain.fires.map((fire) => (metered.includes(fire) ? { ...fire, isMetered: true } : fire))
    const last = looked.length < limit ? undefined : looked.at(-1)
    const next = last === undefined ? null : { height: last.height, position: last.position }
    const retiring = new Set(metered.flatMap((fire) => (countFailure(fire, final) ? [fire.timerId] : [])))
    for (const timerId of retiring) askToRetire(timers.get(timerId) as MemoryTimer)
    return { type: 'metered', next, open: looked.length - metered.length, retiring: retiring.size }
  }

  /** True if the timer has failed too often with this one. */
  function countFailure({ timerId, txId }: MemoryFire, final: ReadonlyMap<string, Transaction>): boolean {
    const timer = timers.get(timerId)
    const tx = final.get(txId ?? '')
    if (timer === undefined || tx === undefined) return false
    const isFailure = tx.state === 'FAILED_FINAL' || tx.subState === 'rejected'
    const failures = tx.state === 'CONFIRMED' ? 0 : timer.failures + (isFailure ? 1 : 0)
    timers.set(timerId, { ...timer, failures })
    const { maxFailures } = timer.spec
    return isFailure && timer.state === 'ACTIVE' && maxFailures > 0 && failures >= maxFailures
  }

  function askToRetire({ id: timerId, kernelId, tenant, failures, spec }: MemoryTimer): void {
    const { chainId, owner, target } = spec
    const ending = { timerId, kernelId, earlier: findEarlier(spec), spec: { owner, target } }
    const command = { type: 'retire', tenant, failures, ...ending } as const
    const id = `retire-${timerId}-${failures}`
    commands.set(id, { id, chainId, command, tenant: '', requestId: null, digest: null, ...UNANSWERED })
  }

  return async (lease, after, limit) => meter(lease, after, limit, await findFinal(lease.chainId))
}

function comparePlaces(a: FirePlace, b: FirePlace): number {
  return a.height - b.height || a.position - b.position
}

export function sumCost(final: readonly Transaction[]): Omit<TimerCost, 'failures'> {
  const inclusions = final.flatMap((tx) => ('inclusion' in tx && tx.inclusion !== null ? [tx.inclusion] : []))
  return {
    sent: inclusions.length,
    reverted: final.filter(({ state }) => state === 'FAILED_FINAL').length,
    gasUsed: inclusions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    feesPaid: inclusions.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n),
  }
}
