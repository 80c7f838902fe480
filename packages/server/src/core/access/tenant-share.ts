/** What one tenant may have of something that all share. Half: whatever one does, there is as much again for the others. */
export const DEFAULT_SHARE_PERCENT = 50

/** At least one place. */
export function shareOf(size: number, percent: number): number {
  return Math.max(1, Math.floor((size * percent) / 100))
}
