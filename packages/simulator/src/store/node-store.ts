/**
 * One process's connection to the database: calls fail before or after they took effect, stall on the way there or
 * back, or take effect after the process gave up. Notices arrive late or not at all.
 */
import type { Notice } from '../../../server/src/ports/notice.ts'
import { type Store, StoreUnavailable } from '../../../server/src/ports/store.ts'
import type { Chance } from '../chance.ts'
import type { SimProcess } from '../cluster/process.ts'
import type { Timeline } from '../timeline.ts'

export interface StoreMood {
  /** Shares of calls, from 0 to 1. */
  readonly unreached: number
  readonly answerLost: number
  /** Abandoned by the process, and carried out later. */
  readonly late: number
  readonly stalled: number
  readonly maxStallMs: number
  readonly noticeLost: number
}

export const GOOD_STORE: StoreMood = {
  unreached: 0,
  answerLost: 0,
  late: 0,
  stalled: 0,
  maxStallMs: 0,
  noticeLost: 0,
}

export interface StoreWay {
  mood: StoreMood
  chance: Chance
  /** No database: the primary is down, or the network is cut. */
  isCut: boolean
}

interface WayPorts {
  readonly way: StoreWay
  /** Outages that affect more than this process. */
  isDown(): boolean
  readonly process: SimProcess
  readonly timeline: Timeline
}

type Call = (...args: readonly unknown[]) => Promise<unknown>

/** Wraps every call of a store-like object; `observe` sees each call that took effect, and its answer. */
export function openStoreWay<T extends object>(
  store: T,
  ports: WayPorts,
  observe: (name: string, args: readonly unknown[], call: Call) => Promise<unknown> = (_, args, call) => call(...args),
): T {
  const { way, process, timeline } = ports
  const later = (ms: number): Promise<void> =>
    new Promise((resolve) => void timeline.at(timeline.now() + ms, () => process.deliver(resolve)))
  const never = (): Promise<never> => new Promise(() => {})

  async function run(name: string, call: Call, args: readonly unknown[]): Promise<unknown> {
    if (!process.isAlive()) return await never()
    const { mood, chance } = way
    if (way.isCut || ports.isDown()) throw new StoreUnavailable(`${name}: not reached`)
    if (mood === GOOD_STORE) return await observe(name, args, call)
    if (chance.hits(mood.unreached)) throw new StoreUnavailable(`${name}: not reached`)
    if (chance.hits(mood.late)) {
      const doneAfter = 1 + chance.below(Math.max(1, mood.maxStallMs))
      timeline.at(timeline.now() + doneAfter, () => void observe(name, args, call).catch(() => {}))
      await later(chance.below(doneAfter))
      throw new StoreUnavailable(`${name}: gave up`)
    }
    const isStalled = chance.hits(mood.stalled)
    if (isStalled) await laterAnywhere(timeline, chance.below(mood.maxStallMs))
    const answer = await observe(name, args, call)
    if (chance.hits(mood.answerLost)) throw new StoreUnavailable(`${name}: the answer was lost`)
    if (isStalled) await later(chance.below(mood.maxStallMs))
    if (!process.isAlive()) return await never()
    return answer
  }

  const wrapped: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(store)) {
    const call = value as Call
    wrapped[name] = (...args: readonly unknown[]) => run(name, call, args)
  }
  return wrapped as T
}

/** In transit: arrives even if the process is frozen or gone by then. */
function laterAnywhere(timeline: Timeline, ms: number): Promise<void> {
  return new Promise((resolve) => void timeline.at(timeline.now() + ms, resolve))
}

export function listenThrough(store: Pick<Store, 'listen'>, { way, process }: WayPorts): Store['listen'] {
  return (listener: (notice: Notice) => void) =>
    store.listen((notice) => {
      if (way.isCut || (way.mood.noticeLost > 0 && way.chance.hits(way.mood.noticeLost))) return
      process.deliver(() => listener(notice))
    })
}
