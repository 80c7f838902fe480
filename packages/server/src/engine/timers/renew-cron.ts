/**
 * After a timer by cron has fired, asks for its next time, as a command of the log: what was converted once stays so, on
 * whatever branch of the chain. It looks for such timers after a fire by height and after a takeover, and goes on with
 * every block until there are none, so neither a crash nor a chain that cannot be read loses one.
 */
import { findEarlier, type KernelId, type ManagedTimer } from '../../core/timer/timer.ts'
import type { CommandId } from '../../core/timer/timer-command.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { NewCommand, NewFire, TimerStore } from '../../ports/timer-store.ts'
import { findCronTime } from './cron-times.ts'

interface RenewalPorts {
  readonly chainId: number
  readonly store: Pick<TimerStore, 'listBetweenTimes' | 'insertCommands' | 'findCommands'>
  readonly chain: Pick<AgreedReads, 'readAgreedBlocks'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'id'>
  readonly blockTimeMs: number
}

/** At a time; the next ones follow with the next block. */
const PAGE = 500
/** At most one of these waits for each timer, so they need no other bound. */
const MAX_PENDING = 1_000_000

export interface CronRenewals {
  /** These have fired. */
  note(fires: readonly NewFire[]): void
  /** Some may have fired unseen. */
  expectAny(): void
  /** `height`: the last block applied. True if it asked for anything. */
  renew(height: number): Promise<boolean>
}

export function createCronRenewals(ports: RenewalPorts): CronRenewals {
  const { chainId, store, chain, clock, random, blockTimeMs } = ports
  let isDue = true
  let lastHeight = -1
  let asked = new Map<KernelId, CommandId>()

  /** Those that were asked for, and are not answered yet. */
  async function findWaiting(): Promise<ReadonlyMap<KernelId, CommandId>> {
    if (asked.size === 0) return asked
    const commands = await store.findCommands([...asked.values()])
    const open = new Set(commands.flatMap((command) => (command?.answer === null ? [command.id] : [])))
    return new Map([...asked].filter(([, id]) => open.has(id)))
  }

  /** Nothing for a line that has no next time. */
  function commandFor(
    { id: timerId, kernelId, spec }: ManagedTimer,
    block: { readonly height: number; readonly timestamp: number },
  ): readonly (NewCommand & { readonly kernelId: KernelId })[] {
    if (spec.schedule.type !== 'cron') return []
    const { line, timeMs } = spec.schedule
    const found = findCronTime(line, block, timeMs, blockTimeMs)
    if (found.type === 'invalid') return []
    const next = { ...spec, schedule: { ...found, follows: kernelId } }
    const earlier = findEarlier(spec)
    const command = { type: 'reschedule', timerId, kernelId, spec: next, isNext: true, earlier } as const
    return [{ id: random.id(clock.now()), command, kernelId }]
  }

  async function ask(timers: readonly ManagedTimer[], height: number): Promise<void> {
    const [block] = timers.length === 0 ? [] : await chain.readAgreedBlocks([height])
    if (block === undefined) return
    const commands = timers.flatMap((timer) => commandFor(timer, { height, timestamp: block.timestamp }))
    if (commands.length > 0) await store.insertCommands(chainId, commands, MAX_PENDING)
    for (const { kernelId, id } of commands) asked.set(kernelId, id)
  }

  return {
    note: (fires) => {
      if (fires.some(({ trigger }) => trigger.type === 'timeout')) isDue = true
    },
    expectAny: () => {
      isDue = true
    },
    renew: async (height) => {
      // Once for each block: what is refused is asked for again, but not at once.
      if (!isDue || height === lastHeight) return false
      const spent = await store.listBetweenTimes(chainId, PAGE)
      asked = new Map(spent.length === 0 ? [] : await findWaiting())
      const fresh = spent.filter(({ kernelId }) => !asked.has(kernelId))
      await ask(fresh, height)
      lastHeight = height
      isDue = spent.length > 0
      return fresh.length > 0
    },
  }
}
