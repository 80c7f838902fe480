/**
 * Writes blocks together with the fires that are due by then, and fires that became ready without a block: their block
 * was deep enough before their condition was known.
 */
import type { AgreedReads } from '../../ports/chain.ts'
import type {
  BlocksWrite,
  BlocksWriteResult,
  NewFire,
  TimerLease,
  TimerStore,
  TimerWriteResult,
} from '../../ports/timer-store.ts'
import { findDeliverable } from './apply-blocks.ts'
import type { ChainTimerSettings } from './chain-timer-settings.ts'
import { describeQueue } from './describe-queue.ts'
import type { FireMeter } from './fire-meter.ts'
import type { HandOver } from './hand-over.ts'
import type { HostState } from './host-state.ts'

interface FireWritePorts {
  readonly lease: TimerLease
  readonly store: Pick<TimerStore, 'writeBlocks'>
  readonly chain: Pick<AgreedReads, 'readAgreedTag'>
  readonly settings: Pick<ChainTimerSettings, 'deliverAt' | 'maxQueuedPerSigner'>
  readonly handOver: HandOver
  readonly meterFires: FireMeter
  /** Its condition is not known. */
  isWaiting(fire: NewFire): boolean
  /** Throws if nothing was written. */
  check(result: BlocksWriteResult | TimerWriteResult): void
  /** There are commands to answer. */
  ask(): void
}

interface FiresWrite extends Pick<BlocksWrite, 'rewindTo' | 'blocks' | 'fires' | 'changes' | 'expected'> {
  /** After the blocks. */
  readonly host: HostState
  /** All that are not handed over yet, in order. */
  readonly observed: readonly NewFire[]
  /** Those of the blocks whose condition is not known. */
  readonly open: ReadonlySet<NewFire>
}

export interface FireWrites {
  /** Returns those that are left. */
  writeBlocks(write: FiresWrite): Promise<readonly NewFire[]>
  /** More of them may be ready than when the last block was written. */
  noteKnown(): void
  /** Hands over what is ready. Null: nothing is. */
  writeReady(host: HostState, observed: readonly NewFire[]): Promise<readonly NewFire[] | null>
  /** Whatever was known about the chain is to be read again. */
  reset(): void
}

/** Fires that become transactions in one write. */
const MAX_HAND_OFFS = 500

export function createFireWrites(ports: FireWritePorts): FireWrites {
  const { lease, store, chain, settings } = ports
  /** The highest block whose fires may be sent; null: not read yet. */
  let deliverable: number | null = null
  let mayHaveReady = false

  async function write(
    { host, observed, open: _open, ...write }: FiresWrite,
    due: readonly NewFire[],
  ): Promise<readonly NewFire[]> {
    const queue = describeQueue(host)
    const maxQueued = settings.maxQueuedPerSigner
    const { ready, result } = await ports.handOver(due, (handOffs) =>
      store.writeBlocks({ ...write, lease, queue, maxQueued, handOffs }),
    )
    ports.check(result)
    const metered = await ports.meterFires(ready.length > 0)
    ports.check(metered)
    if (metered.isAsked === true) ports.ask()
    const handed = new Set(ready)
    return observed.filter((fire) => !handed.has(fire))
  }

  const listDue = (observed: readonly NewFire[], limit: number, open: ReadonlySet<NewFire>) =>
    observed.filter((fire) => fire.height <= limit && !open.has(fire) && !ports.isWaiting(fire))

  const readLimit = (height: number) => findDeliverable(chain, settings.deliverAt, height)

  return {
    writeBlocks: async (given) => {
      const { blocks, fires, observed, open } = given
      const height = blocks.at(-1)?.height ?? -1
      deliverable = observed.length === 0 ? null : await readLimit(height)
      // Block by block, more are handed over than were added, so that a backlog shrinks.
      const most = blocks.length === 1 ? Math.max(MAX_HAND_OFFS, 2 * fires.length) : MAX_HAND_OFFS
      return await write(given, listDue(observed, deliverable ?? -1, open).slice(0, most))
    },
    noteKnown: () => {
      mayHaveReady = true
    },
    writeReady: async (host, observed) => {
      if (!mayHaveReady || host.tip === null || observed.length === 0) return null
      deliverable ??= await readLimit(host.tip.height)
      const none = { rewindTo: null, blocks: [], fires: [], changes: [], expected: host.tip, open: new Set<NewFire>() }
      const due = listDue(observed, deliverable, none.open).slice(0, MAX_HAND_OFFS)
      mayHaveReady = false
      if (due.length === 0) return null
      const left = await write({ ...none, host, observed }, due)
      mayHaveReady = due.length === MAX_HAND_OFFS && left.length < observed.length
      return left
    },
    reset: () => {
      deliverable = null
      mayHaveReady = true
    },
  }
}
