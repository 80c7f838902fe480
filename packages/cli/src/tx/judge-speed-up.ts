/** What became of an order to speed up a transaction. The owner of the lane decides after the order was taken. */
export interface HistoryEntry {
  readonly type: string
  readonly cause: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface OrderedTransaction {
  readonly subState: string
  readonly error: { readonly code: string } | null
  readonly inclusion: unknown
}

export type SpeedUpEnd =
  | { readonly type: 'signed' }
  /** This ends the order. */
  | { readonly type: 'refused'; readonly message: string }
  /** The order stands: it is signed once the price or the limit allows it. */
  | { readonly type: 'above_limit' }

/** Oldest first. Null: not decided yet. */
export function judgeSpeedUp(history: readonly HistoryEntry[]): SpeedUpEnd | null {
  const order = history.findLastIndex(({ type }) => type === 'operator.sped_up')
  if (order < 0) return null
  const since = history.slice(order + 1)
  const end = since.find(({ type }) => type === 'attempt.added' || type === 'bump.refused')
  if (end === undefined) return since.some(isCap) ? { type: 'above_limit' } : null
  if (end.type === 'attempt.added') return { type: 'signed' }
  const { type, cause, detail } = end
  const message = typeof detail.message === 'string' ? detail.message : (cause ?? type).replaceAll('_', ' ')
  return { type: 'refused', message }
}

/**
 * Whether its price was at the limit already: Drover reports each limit once, so no event after the order says it again.
 * A later refusal by a node hides the code of the error; then the history still has it.
 */
export function isAtLimit(
  { subState, error, inclusion }: OrderedTransaction,
  history: readonly HistoryEntry[],
): boolean {
  if (inclusion !== null) return false
  if (error?.code === 'fee_above_cap' || subState === 'fee_above_cap') return true
  const last = history.findLast((entry) => isCap(entry) || /^(?:attempt\.added|bump\.refused)$/.test(entry.type))
  return last !== undefined && isCap(last)
}

function isCap({ type }: HistoryEntry): boolean {
  return type === 'fee.capped'
}
