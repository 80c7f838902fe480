export function percentiles(list: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = [...list].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}
