/** One tenant's share of a shared resource. Half: whatever one does, there is as much left for the others. */
export const DEFAULT_SHARE_PERCENT = 50

/** At least one place. */
export function shareOf(size: number, percent: number): number {
  return Math.max(1, Math.floor((size * percent) / 100))
}
