/** Resumes a chain's timers where they stopped: the snapshot, and everything that the kernel received since. */
import { createSnapshotReader } from '@drover/timers'
import type { LoadedTimers, NewFire } from '../../ports/timer-store.ts'
import { restoreParams } from './evm-params.ts'
import { createHostHistory, type HostHistory } from './host-history.ts'
import { applyBlock, createHostState, type HostState, replayCommands } from './host-state.ts'

export interface LoadedHost {
  readonly history: HostHistory
  readonly observed: readonly NewFire[]
  /** The last height at which something fired or ended. */
  readonly lastActivity: number
  /** What the stored snapshot holds. */
  readonly stored: { readonly height: number; readonly seq: number }
}

/** Between two rests; a block may have any number. Together they cost less than one by one. */
const COMMANDS_AT_ONCE = 200

/** `rest` is awaited now and then, so a long load does not block everything else. */
export async function loadHost(
  chainId: number,
  loaded: LoadedTimers,
  keep: number,
  rest: () => Promise<void>,
): Promise<LoadedHost> {
  const { snapshot, blocks, commands, observed } = loaded
  const first = snapshot === null ? createHostState(chainId) : await restore(snapshot, rest)
  const history = createHostHistory(first, keep)
  let lastActivity = snapshot?.block.height ?? -1
  let next = 0
  for (const [index, block] of blocks.entries()) {
    const { host, delivery } = applyBlock(history.tip(), block)
    history.push(host)
    if (delivery !== null && delivery.entries.length + delivery.evictions.length > 0) lastActivity = block.height
    const first = next
    while (next < commands.length && (commands[next]?.height ?? 0) <= block.height) next += 1
    for (let from = first; from < next; from += COMMANDS_AT_ONCE) {
      const some = commands.slice(from, Math.min(next, from + COMMANDS_AT_ONCE))
      history.amend(replayCommands(history.tip(), some), some)
      await rest()
    }
    if (index % 50 === 49) await rest()
  }
  const height = snapshot?.block.height ?? (blocks[0]?.height ?? 0) - 1
  return { history, observed, lastActivity, stored: { height, seq: snapshot?.seq ?? 0 } }
}

async function restore(
  { block, seq, chunks, params }: NonNullable<LoadedTimers['snapshot']>,
  rest: () => Promise<void>,
): Promise<HostState> {
  const reader = createSnapshotReader()
  for (const [index, chunk] of chunks.entries()) {
    reader.push(chunk)
    if (index % 16 === 15) await rest()
  }
  const { height, hash, stateRoot } = block
  return { kernel: reader.finish(), params: restoreParams(params), tip: { height, hash, stateRoot }, seq }
}
