/** Numbers over time, kept for an hour at most: one slot a second, the oldest overwritten. */
export interface TimeSeries {
  /** `sum`: adds to what the second has. */
  add(atMs: number, value: number): void
  /** Buckets of a range that ends now, oldest first; null where nothing is known. */
  read(nowMs: number, rangeMs: number, buckets: number): readonly (number | null)[]
}

export type Combine =
  /** Things that happened: a second without any is zero. */
  | 'rate'
  /** Something measured: the mean of what was seen; a second without is unknown. */
  | 'mean'

const SLOTS = 3_600

export function createTimeSeries(combine: Combine): TimeSeries {
  const seconds = new Float64Array(SLOTS).fill(-1)
  const sums = new Float64Array(SLOTS)
  const counts = new Uint32Array(SLOTS)
  /** Before it nothing was counted, which is not the same as zero. */
  let since = Number.POSITIVE_INFINITY

  return {
    add(atMs, value) {
      const second = Math.floor(atMs / 1_000)
      const slot = ((second % SLOTS) + SLOTS) % SLOTS
      const held = seconds[slot] ?? -1
      // Too old: its slot belongs to a later second.
      if (held > second) return
      if (held < second) {
        seconds[slot] = second
        sums[slot] = 0
        counts[slot] = 0
      }
      sums[slot] = (sums[slot] ?? 0) + value
      counts[slot] = (counts[slot] ?? 0) + 1
      since = Math.min(since, second)
    },

    read(nowMs, rangeMs, buckets) {
      const last = Math.floor(nowMs / 1_000)
      const width = Math.max(1, Math.floor(rangeMs / 1_000 / buckets))
      return Array.from({ length: buckets }, (_, index) => {
        const end = last - (buckets - 1 - index) * width
        let sum = 0
        let count = 0
        for (let second = end - width + 1; second <= end; second++) {
          const slot = ((second % SLOTS) + SLOTS) % SLOTS
          if (seconds[slot] !== second) continue
          sum += sums[slot] ?? 0
          count += counts[slot] ?? 0
        }
        if (combine === 'mean') return count === 0 ? null : sum / count
        return end < since ? null : sum / width
      })
    },
  }
}
