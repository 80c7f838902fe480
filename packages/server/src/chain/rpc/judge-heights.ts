/**
 * Which height of a chain can be believed where its nodes differ. One node alone is believed. Of several, the highest
 * counts if another is near it, or if the node could show the block that it claims; a claim that could not be shown
 * counts for nothing, so that one liar makes no honest node look late.
 */
export type ClaimStatus = 'unknown' | 'shown' | 'refuted'

export interface HeightReading {
  readonly height: number
  /** The result of asking for the block at this height. */
  readonly claim: ClaimStatus
}

export interface HeightJudgement {
  readonly plausible: number
  /** Index of a reading whose claim must be checked before it counts. */
  readonly toShow: number | null
}

/** Null if there is no reading. `tolerance`: how many blocks apart still counts as near. */
export function judgeHeights(readings: readonly HeightReading[], tolerance: number): HeightJudgement | null {
  const ranked = readings
    .map((reading, index) => ({ ...reading, index }))
    .filter(({ claim }) => claim !== 'refuted')
    .sort((a, b) => b.height - a.height)
  const [top, next] = ranked
  // If all were refuted, the lowest claim is the most believable.
  if (top === undefined)
    return readings.length === 0 ? null : { plausible: Math.min(...readings.map(({ height }) => height)), toShow: null }
  if (next === undefined || top.claim === 'shown' || top.height - next.height <= tolerance)
    return { plausible: top.height, toShow: null }
  return { plausible: next.height, toShow: top.index }
}
