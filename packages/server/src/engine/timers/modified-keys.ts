/** ModifiedKeySet of an EVM block, limited to watched keys: `address ‖ 0x01 ‖ topics…` for each log. */
import { findWatchedPrefix, type TimerState } from '@drover/timers'
import type { Address, Hash, Hex } from '../../core/hex.ts'

const LOG_MARK = '01'
const ADDRESS_END = 42

function logKey({ address, topics }: { readonly address: Address; readonly topics: readonly Hash[] }): Hex {
  return `0x${address.slice(2)}${LOG_MARK}${topics.map((topic) => topic.slice(2)).join('')}`
}

/** Unique, in byte order. The kernel ignores the others. */
export function listModifiedKeys(
  kernel: Pick<TimerState, 'indexWatch'>,
  logs: readonly { readonly address: Address; readonly topics: readonly Hash[] }[],
): readonly Hex[] {
  const keys = new Set<Hex>()
  for (const log of logs) {
    const key = logKey(log)
    if (!keys.has(key) && findWatchedPrefix(kernel.indexWatch, key) !== null) keys.add(key)
  }
  return [...keys].sort()
}

/** The contracts that a timer watches. */
export function listWatchedContracts(...kernels: readonly Pick<TimerState, 'indexWatch'>[]): readonly Address[] {
  const contracts = new Set<Address>()
  for (const { indexWatch } of kernels) {
    for (const { key: prefix } of indexWatch.entries()) contracts.add(prefix.slice(0, ADDRESS_END) as Address)
  }
  return [...contracts].sort()
}
