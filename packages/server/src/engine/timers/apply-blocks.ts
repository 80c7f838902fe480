/**
 * Gives some blocks to the kernel and collects the results into one write. Nothing is changed here: if the write fails,
 * it is as if the blocks had not been seen.
 */
import type { Delivery } from '@drover/timers'
import type { Finality } from '../../core/chain/finality.ts'
import type { KernelId } from '../../core/timer/timer.ts'
import type { LoggedCommand } from '../../core/timer/timer-command.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import type { BlocksWrite, Incarnation, NewFire, TimerBlock } from '../../ports/timer-store.ts'
import { MAX_OPEN_CHECKS, type OpenCheck, TOO_MANY_CHECKS } from './conditions/open-check.ts'
import { formFire } from './form-fire.ts'
import { applyBlock, type HostState, replayCommands } from './host-state.ts'
import { type Endings, listChanges, noteEndings } from './list-changes.ts'

export interface BlockPorts {
  findIncarnations(kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>>
  /** Fires below the blocks that wait for their conditions, of one tenant. */
  countWaiting(tenant: string): number
}

export interface AppliedBlocks {
  /** After each block. */
  readonly states: readonly HostState[]
  readonly fires: readonly NewFire[]
  /** Those of the fires that wait for a condition. */
  readonly checks: readonly OpenCheck[]
  readonly changes: BlocksWrite['changes']
  /** The last height at which something fired or ended; null: at none of them. */
  readonly lastActivity: number | null
}

interface Fired {
  readonly block: TimerBlock
  readonly delivery: Delivery
}

/**
 * `from` is the state below the blocks and `shown` is what people see now; they differ if blocks are dropped.
 * `commands` are those of the log above `from`, to be applied again.
 */
export async function applyBlocks(
  ports: BlockPorts,
  {
    from,
    shown,
    blocks,
    commands,
  }: {
    readonly from: HostState
    readonly shown: HostState
    readonly blocks: readonly TimerBlock[]
    readonly commands: readonly LoggedCommand[]
  },
): Promise<AppliedBlocks> {
  const states: HostState[] = []
  const fired: Fired[] = []
  const endings: Endings = new Map()
  let host = from
  for (const block of blocks) {
    const applied = applyBlock(host, block)
    host = replayCommands(
      applied.host,
      commands.filter(({ height }) => height === block.height),
    )
    states.push(host)
    if (applied.delivery === null) continue
    noteEndings(endings, applied.delivery, applied.retired)
    const { entries, evictions } = applied.delivery
    if (entries.length + evictions.length > 0) fired.push({ block, delivery: applied.delivery })
  }
  const ids = fired.flatMap(({ delivery }) => delivery.entries.map(({ timerId }) => timerId))
  const known = ids.length === 0 ? new Map() : await ports.findIncarnations([...new Set(ids)])
  return {
    states,
    ...formFires(ports, fired, known),
    changes: listChanges(shown.kernel, host.kernel, keepCron(endings, known)),
    lastActivity: fired.at(-1)?.block.height ?? null,
  }
}

/** A timer by cron that has fired goes on. */
function keepCron(endings: Endings, known: ReadonlyMap<KernelId, Incarnation>): Endings {
  for (const [kernelId, { state }] of endings) {
    const isCron = known.get(kernelId)?.spec.schedule.type === 'cron'
    if (isCron && state === 'DONE') endings.set(kernelId, { state: 'ACTIVE', reason: null })
  }
  return endings
}

/** Nothing is asked here: no condition may hold up a block. */
function formFires(
  ports: Pick<BlockPorts, 'countWaiting'>,
  fired: readonly Fired[],
  known: ReadonlyMap<KernelId, Incarnation>,
): Pick<AppliedBlocks, 'fires' | 'checks'> {
  const fires: NewFire[] = []
  const checks: OpenCheck[] = []
  const counts = new Map<string, number>()
  for (const { block, delivery } of fired)
    for (const [position, entry] of delivery.entries.entries()) {
      const incarnation = known.get(entry.timerId)
      if (incarnation === undefined) throw new Error(`timer ${entry.timerId} fired, but nobody knows it`)
      const { tenant, spec } = incarnation
      const place = { blockHash: block.hash, position }
      const { when } = spec
      const count = when === null ? 0 : (counts.get(tenant) ?? ports.countWaiting(tenant))
      const fire = formFire(entry, place, incarnation, count < MAX_OPEN_CHECKS ? null : TOO_MANY_CHECKS)
      fires.push(fire)
      if (when === null) continue
      counts.set(tenant, count + 1)
      if (fire.state === 'OBSERVED') checks.push({ fire, tenant, when })
    }
  return { fires, checks }
}

/** The highest block whose fires may be sent, once the chain is at `tip`. */
export async function findDeliverable(
  chain: Pick<AgreedReads, 'readAgreedTag'>,
  rule: Finality,
  tip: number,
): Promise<number> {
  if (rule.type === 'confirmations') return tip - rule.count
  return Math.min(tip, (await chain.readAgreedTag(rule.type)) ?? -1)
}
