/**
 * Keeps the canonical headers in the store, as this node sees them: a start continues where the last run ended, and the
 * stream of confirmed blocks outlives a process. One statement per look. While one runs, only the newest state waits
 * behind it, complete, so a slow database costs history at worst and never blocks the follower.
 */
import type { Header } from '../../core/chain/finality.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { ChainUpdate } from './block-follower.ts'

export interface HeaderKeeper {
  save(chainId: number, update: ChainUpdate): void
  /** What earlier looks stored, oldest first; empty if the store does not respond. */
  read(chainId: number): Promise<readonly Header[]>
}

interface HeaderKeeperPorts {
  readonly store: Pick<Store, 'saveHeaders' | 'readHeaders'>
  readonly telemetry: Telemetry
  /** Headers kept for each chain. */
  readonly keep: number
}

export function createHeaderKeeper({ store, telemetry, keep }: HeaderKeeperPorts): HeaderKeeper {
  const waiting = new Map<number, Header[]>()
  const saving = new Set<number>()

  async function saveAll(chainId: number): Promise<void> {
    saving.add(chainId)
    for (let headers = take(chainId); headers.length > 0; headers = take(chainId)) {
      const head = headers.at(-1)?.number ?? 0
      try {
        await store.saveHeaders(chainId, headers, Math.max(0, head - keep + 1))
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        telemetry.log('warn', 'could not store block headers; readers of confirmed blocks may see a gap', {
          chainId,
          error,
        })
      }
    }
    saving.delete(chainId)
  }

  function take(chainId: number): Header[] {
    const headers = waiting.get(chainId) ?? []
    waiting.delete(chainId)
    return headers
  }

  return {
    save: (chainId, { added }) => {
      const lowest = added[0]?.number
      if (lowest === undefined) return
      // Blocks that were replaced before they were stored need not be stored at all.
      const before = (waiting.get(chainId) ?? []).filter((header) => header.number < lowest)
      waiting.set(chainId, [...before, ...added].slice(-keep))
      if (!saving.has(chainId)) void saveAll(chainId)
    },
    read: async (chainId) => {
      try {
        return await store.readHeaders(chainId, 0, Number.MAX_SAFE_INTEGER)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        return []
      }
    },
  }
}
