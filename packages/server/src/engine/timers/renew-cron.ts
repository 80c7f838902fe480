/**
 * After a timer by cron has fired, asks for its next time, as a command of the log: what was converted once stays so, on
 * whatever branch of the chain. It looks for such timers after a fire by height and after a takeover, and goes on with
 * every block until there are none, so neither a crash nor a chain that cannot be read loses one.
 */
import { findEarlier, type KernelId } from '../../core/timer/timer.ts'
import type { CommandId } from '../../core/timer/timer-command.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { NewFire, TimerStore } from '../../ports/timer-store.ts'
import { findCronTime } from './cron-times.ts'

interface RenewalPorts {
  readonly chainId: number
  readonly store: Pick<TimerStore, 'listBetweenTimes' | 'insertCommand' | 'findCommands'>
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

  async function ask(
    { id: timerId, kernelId, spec }: Awaited<ReturnType<TimerStore['listBetweenTimes']>>[number],
    block: { readonly height: number; readonly timestamp: number },
  ): Promise<void> {
    if (spec.schedule.type !== 'cron') return
    const { line, timeMs } = spec.schedule
    const found = findCronTime(line, block, timeMs, blockTimeMs)
    if (found.type === 'invalid') return
    const next = { ...spec, schedule: { ...found, follows: kernelId } }
    const earlier = findEarlier(spec)
    const command = { type: 'reschedule', timerId, kernelId, spec: next, isNext: true, earlier } as const
    const id = random.id(clock.now())
    await store.insertCommand({ id, chainId, command }, MAX_PENDING)
    asked.set(kernelId, id)
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
      for (const { timestamp } of fresh.length === 0 ? [] : await chain.readAgreedBlocks([height]))
        for (const timer of fresh) await ask(timer, { height, timestamp })
      lastHeight = height
      isDue = spent.length > 0
      return fresh.length > 0
    },
  }
}
