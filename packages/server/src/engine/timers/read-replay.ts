/** After a reorg: the state at which the chain left the applied branch, and the blocks that are there now. */
import { type AgreedReads, ChainUnavailable } from '../../ports/chain.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { TimerBlock } from '../../ports/timer-store.ts'
import type { HostHistory } from './host-history.ts'
import type { HostState } from './host-state.ts'
import { addKeys, findCommonState, NO_ROOT, readLinked } from './read-blocks.ts'

interface ReplayPorts {
  readonly chainId: number
  readonly chain: AgreedReads
  readonly telemetry: Pick<Telemetry, 'log'>
}

interface Replay {
  readonly from: HostState
  readonly blocks: readonly TimerBlock[]
}

/**
 * Null if the applied tip is in the chain after all. Reads up to `head`, but no more than `most` blocks unless it takes
 * more to reach the applied height again.
 */
export async function readReplay(
  { chain, chainId, telemetry }: ReplayPorts,
  history: HostHistory,
  { head, most }: { readonly head: number; readonly most: number },
): Promise<Replay | null> {
  const shown = history.tip()
  const height = shown.tip?.height ?? 0
  const [there] = await chain.readAgreedBlocks([height])
  if (there?.hash === shown.tip?.hash) return null
  const common = await findCommonState(chain, history.states())
  if (common === null)
    telemetry.log('error', 'a reorg went deeper than timers can follow; they go on from the oldest block known', {
      chainId,
      height,
      depth: history.states().length,
    })
  const from = common ?? history.oldest()
  const first = (from.tip?.height ?? -1) + 1
  const blocks = await readLinked(chain, first, Math.min(head, Math.max(height, first + most - 1)))
  const isShort = (blocks.at(-1)?.number ?? -1) < height
  const isUnlinked = common !== null && blocks[0]?.parentHash !== common.tip?.hash
  if (isShort || isUnlinked) throw new ChainUnavailable('the chain changes while it is read')
  return { from, blocks: await addKeys(chain, blocks, from.tip?.stateRoot ?? NO_ROOT, from, shown) }
}
