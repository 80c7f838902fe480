/**
 * Gives some blocks to the kernel and collects the results into one write. Nothing is changed here: if the write fails,
 * it is as if the blocks had not been seen.
 */
import type { Delivery } from '@drover/timers'
import type { Finality } from '../../core/chain/finality.ts'
import type { Condition, ConditionOutcome, KernelId } from '../../core/timer/timer.ts'
import type { LoggedCommand } from '../../core/timer/timer-command.ts'
import type { AgreedReads } from '../../ports/chain.ts'
import type { BlocksWrite, Incarnation, NewFire, TimerBlock } from '../../ports/timer-store.ts'
import { checkConditions } from './check-conditions.ts'
import { formFire } from './form-fire.ts'
import { applyBlock, type HostState, replayCommands } from './host-state.ts'
import { type Endings, listChanges, noteEndings } from './list-changes.ts'

export interface BlockPorts {
  readonly chain: Pick<AgreedReads, 'readAgreedViews'>
  findIncarnations(kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>>
}

export interface AppliedBlocks {
  /** After each block. */
  readonly states: readonly HostState[]
  readonly fires: readonly NewFire[]
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
    fires: await formFires(ports.chain, fired, known),
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

async function formFires(
  chain: BlockPorts['chain'],
  fired: readonly Fired[],
  known: ReadonlyMap<KernelId, Incarnation>,
): Promise<readonly NewFire[]> {
  const fires: NewFire[] = []
  for (const { block, delivery } of fired) {
    const conditions = new Map<KernelId, Condition>()
    for (const { timerId } of delivery.entries) {
      const when = known.get(timerId)?.spec.when ?? null
      if (when !== null) conditions.set(timerId, when)
    }
    const outcomes = await checkConditions(chain, [...conditions.values()], block.hash)
    const byId = new Map<KernelId, ConditionOutcome | undefined>(
      [...conditions.keys()].map((id, index) => [id, outcomes[index]]),
    )
    for (const [position, entry] of delivery.entries.entries()) {
      const incarnation = known.get(entry.timerId)
      if (incarnation === undefined) throw new Error(`timer ${entry.timerId} fired, but nobody knows it`)
      fires.push(formFire(entry, { blockHash: block.hash, position }, incarnation, byId.get(entry.timerId) ?? null))
    }
  }
  return fires
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
