/** The transactions that were picked for an action on all of them. */
import { useState } from 'preact/hooks'
import type { TransactionResource } from '../../../api/api-resources.ts'

export const MAX_SELECTED = 200

export interface Selection {
  readonly items: readonly TransactionResource[]
  has(id: string): boolean
  add(items: readonly TransactionResource[]): void
  remove(id: string): void
  clear(): void
}

export function useSelection(): Selection {
  const [picked, setPicked] = useState<ReadonlyMap<string, TransactionResource>>(new Map())
  return {
    items: [...picked.values()],
    has: (id) => picked.has(id),
    add: (items) =>
      setPicked((before) => new Map([...before, ...items.map((tx) => [tx.id, tx] as const)].slice(0, MAX_SELECTED))),
    remove: (id) => setPicked((before) => new Map([...before].filter(([known]) => known !== id))),
    clear: () => setPicked(new Map()),
  }
}
