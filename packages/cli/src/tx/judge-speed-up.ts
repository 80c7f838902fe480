/** What became of an order to speed up a transaction, from its history. The owner of the lane decides after the order was taken. */
interface Entry {
  readonly type: string
  readonly cause: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export type SpeedUpEnd = { readonly type: 'signed' } | { readonly type: 'refused'; readonly message: string }

/** Oldest first. Null: not decided yet. */
export function judgeSpeedUp(history: readonly Entry[]): SpeedUpEnd | null {
  const order = history.findLastIndex(({ type }) => type === 'operator.sped_up')
  if (order < 0) return null
  for (const { type, cause, detail } of history.slice(order + 1)) {
    if (type === 'attempt.added') return { type: 'signed' }
    if (type !== 'bump.refused' && type !== 'fee.capped') continue
    const said = typeof detail.message === 'string' ? detail.message : (cause ?? type).replaceAll('_', ' ')
    return { type: 'refused', message: said }
  }
  return null
}
