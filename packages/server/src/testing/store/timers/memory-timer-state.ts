/** What the model of a timer store keeps in memory, and who holds the timers of a chain. */
import type { Hash } from '../../../core/hex.ts'
import type { Fire, KernelId, ManagedTimer, TimerId } from '../../../core/timer/timer.ts'
import type { CommandId, LoggedCommand, StoredCommand } from '../../../core/timer/timer-command.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Notice } from '../../../ports/notice.ts'
import type { Store } from '../../../ports/store.ts'
import type {
  BlocksWrite,
  Incarnation,
  TimerBlock,
  TimerLease,
  TimerSnapshot,
  TimerTip,
} from '../../../ports/timer-store.ts'

export interface MemoryPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly transactions: Pick<
    Store,
    'insertTransactions' | 'findTransactions' | 'countQueued' | 'listLaneStatus' | 'listAccounts'
  >
}

export interface MemoryChain {
  owner: string | null
  fence: number
  expiresAt: number
  tip: TimerTip | null
  seq: number
  snapshot: TimerSnapshot | null
  blocks: TimerBlock[]
  log: LoggedCommand[]
  fires: MemoryFire[]
  queue: unknown
}

/** `isWithdrawn`: its transaction was in line when its block was dropped. `isMetered`: its cost has been added up. */
export type MemoryFire = Omit<Fire, 'txState' | 'txError'> & {
  readonly isWithdrawn: boolean
  readonly isMetered: boolean
}

export interface MemoryCommand extends StoredCommand {
  readonly tenant: string
  readonly requestId: string | null
  readonly digest: Hash | null
  readonly answeredAt: number | null
  readonly isLogged: boolean
}

/** The cost is added up from the transactions when it is read. */
export type MemoryTimer = Omit<ManagedTimer, 'cost'> & { readonly baseFires: number; readonly failures: number }

export interface MemoryTimerState {
  readonly chains: Map<number, MemoryChain>
  readonly commands: Map<CommandId, MemoryCommand>
  readonly timers: Map<TimerId, MemoryTimer>
  readonly incarnations: Map<KernelId, Incarnation>
  readonly listeners: Set<(notice: Notice) => void>
  now(): number
  chainOf(chainId: number): MemoryChain
  findByKernelId(kernelId: KernelId): MemoryTimer | undefined
  isHeld(chain: MemoryChain): boolean
  isHeldBy(lease: TimerLease): boolean
  notify(notice: Notice): void
}

export function createMemoryTimerState(clock: Pick<Clock, 'now'>): MemoryTimerState {
  const chains = new Map<number, MemoryChain>()
  const timers = new Map<TimerId, MemoryTimer>()
  const listeners = new Set<(notice: Notice) => void>()

  function chainOf(chainId: number): MemoryChain {
    const known = chains.get(chainId)
    if (known !== undefined) return known
    const made = {
      owner: null,
      fence: 0,
      expiresAt: Number.NEGATIVE_INFINITY,
      tip: null,
      seq: 0,
      snapshot: null,
      blocks: [],
      log: [],
      fires: [],
      queue: null,
    }
    chains.set(chainId, made)
    return made
  }

  const isHeld = ({ owner, expiresAt }: MemoryChain) => owner !== null && expiresAt > clock.now()

  return {
    chains,
    commands: new Map(),
    timers,
    incarnations: new Map(),
    listeners,
    now: () => clock.now(),
    chainOf,
    findByKernelId: (kernelId) => [...timers.values()].find((timer) => timer.kernelId === kernelId),
    isHeld,
    isHeldBy: ({ chainId, nodeId, fence }) => {
      const chain = chainOf(chainId)
      return isHeld(chain) && chain.owner === nodeId && chain.fence === fence
    },
    notify: (notice) => {
      queueMicrotask(() => {
        for (const listener of [...listeners]) listener(notice)
      })
    },
  }
}

export function isTip(tip: TimerTip | null, expected: BlocksWrite['expected']): boolean {
  return expected === null ? tip === null : tip?.height === expected.height && tip.hash === expected.hash
}
