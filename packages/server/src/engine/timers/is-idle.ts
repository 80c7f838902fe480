/** Whether blocks may pass unread: nothing can fire, and a reorg can undo nothing that fired. */
import { type ChainView, type Finality, finalHeight } from '../../core/chain/finality.ts'
import type { LoadedHost } from './load-host.ts'

export function isIdle(
  { history, observed, lastActivity }: Pick<LoadedHost, 'history' | 'observed' | 'lastActivity'>,
  view: ChainView | null,
  finality: Finality,
): boolean {
  const { kernel, tip } = history.tip()
  if (kernel.timers.size > 0 || observed.length > 0) return false
  if (tip === null || lastActivity < 0) return true
  const here = view?.header(tip.height) ?? null
  // Finality on another branch than the applied one proves nothing.
  if (view === null || (here !== null && here.hash !== tip.hash)) return false
  const final = finality.type === 'confirmations' ? tip.height - finality.count : finalHeight(view, finality)
  return final !== null && lastActivity <= Math.min(final, tip.height)
}
