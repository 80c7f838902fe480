/** Reads the next blocks of a chain with what changed in them, and finds where a branch left the chain. */
import type { AgreedBlock, AgreedReads } from '../../ports/chain.ts'
import type { TimerBlock, TimerTip } from '../../ports/timer-store.ts'
import type { HostState } from './host-state.ts'
import { listModifiedKeys, listWatchedContracts } from './modified-keys.ts'

/** Blocks per read while searching for a common block. */
const LOOK_BACK = 16
/** Of what comes before the first block known. */
export const NO_ROOT: TimerTip['stateRoot'] = `0x${'00'.repeat(32)}`

/** Blocks that link to each other, lowest first. The first need not link to a known block. */
export async function readLinked(
  chain: Pick<AgreedReads, 'readAgreedBlocks'>,
  from: number,
  to: number,
): Promise<readonly AgreedBlock[]> {
  const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const blocks = await chain.readAgreedBlocks(heights)
  const broken = blocks.findIndex((block, index) => index > 0 && block.parentHash !== blocks[index - 1]?.hash)
  return broken < 0 ? blocks : blocks.slice(0, broken)
}

/** Adds the changed keys of each block that any of these states watches. Without a watch it sends no request. */
export async function addKeys(
  chain: Pick<AgreedReads, 'readAgreedLogs'>,
  blocks: readonly AgreedBlock[],
  parentStateRoot: TimerTip['stateRoot'],
  ...watched: readonly HostState[]
): Promise<readonly TimerBlock[]> {
  const kernels = watched.map(({ kernel }) => kernel)
  const contracts = listWatchedContracts(...kernels)
  const logs = contracts.length === 0 ? [] : await chain.readAgreedLogs(blocks, contracts)
  return blocks.map(({ number: height, hash, stateRoot }, index) => {
    const own = logs[index] ?? []
    const keys = new Set(kernels.flatMap((kernel) => listModifiedKeys(kernel, own)))
    const before = index === 0 ? parentStateRoot : (blocks[index - 1]?.stateRoot ?? parentStateRoot)
    return { height, hash, stateRoot, parentStateRoot: before, keys: [...keys].sort() }
  })
}

/** The newest of these states, oldest first, whose block is in the chain; null if none is. */
export async function findCommonState(
  chain: Pick<AgreedReads, 'readAgreedBlocks'>,
  states: readonly HostState[],
): Promise<HostState | null> {
  for (let end = states.length; end > 0; end -= LOOK_BACK) {
    const some = states.slice(Math.max(0, end - LOOK_BACK), end)
    const heights = some.flatMap(({ tip }) => (tip === null ? [] : [tip.height]))
    if (heights.length === 0) return null
    const hashes = new Map((await chain.readAgreedBlocks(heights)).map(({ number, hash }) => [number, hash]))
    const found = some.findLast(({ tip }) => tip !== null && hashes.get(tip.height) === tip.hash)
    if (found !== undefined) return found
  }
  return null
}
