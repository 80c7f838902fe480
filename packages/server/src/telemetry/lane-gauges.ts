/**
 * The gauges of lanes. There may be thousands of lanes, so only so many are shown one by one; the others of a chain are
 * shown together, under the signer `others`. Which lanes are shown depends on their addresses alone, so a series does
 * not come and go. A lane that was not reported at a render is gone: another node runs it.
 */
import type { Fields } from '../ports/telemetry.ts'

/** How the values of several lanes become one. `furthest`: the one that is furthest from zero. */
export type Fold = 'sum' | 'min' | 'max' | 'furthest'

export interface LaneGauges {
  set(name: string, value: number, labels: Fields): void
  /** Between these two, every lane that this node runs has to set something. */
  beginReport(): void
  endReport(): void
  /** What to show, with at most so many lanes one by one. */
  list(maxLanes: number, foldOf: (name: string) => Fold): readonly Sample[]
}

export interface Sample {
  readonly name: string
  readonly value: number
  readonly labels: Fields
}

interface LaneSamples {
  readonly samples: Map<string, Sample>
  reported: boolean
}

const OTHERS = 'others'

export function createLaneGauges(): LaneGauges {
  const lanes = new Map<string, LaneSamples>()
  let isReporting = false

  return {
    set(name, value, labels) {
      const key = `${labels.chainId} ${labels.signer}`
      const lane = lanes.get(key) ?? { samples: new Map<string, Sample>(), reported: false }
      lanes.set(key, lane)
      if (isReporting) lane.reported = true
      lane.samples.set([name, ...Object.values(labels)].join(' '), { name, value, labels })
    },
    beginReport() {
      isReporting = true
      for (const lane of lanes.values()) lane.reported = false
    },
    endReport() {
      isReporting = false
      for (const [key, lane] of lanes) if (!lane.reported) lanes.delete(key)
    },
    list(maxLanes, foldOf) {
      const keys = [...lanes.keys()].sort()
      const samplesOf = (key: string): readonly Sample[] => [...(lanes.get(key)?.samples.values() ?? [])]
      const others = foldSamples(keys.slice(maxLanes).flatMap(samplesOf), foldOf)
      return [...keys.slice(0, maxLanes).flatMap(samplesOf), ...others]
    },
  }
}

function foldSamples(samples: readonly Sample[], foldOf: (name: string) => Fold): readonly Sample[] {
  const folded = new Map<string, Sample>()
  for (const { name, value, labels: own } of samples) {
    const labels = { ...own, signer: OTHERS }
    const key = [name, ...Object.values(labels)].join(' ')
    const before = folded.get(key)
    folded.set(key, { name, labels, value: before === undefined ? value : fold(foldOf(name), before.value, value) })
  }
  return [...folded.values()]
}

function fold(how: Fold, one: number, other: number): number {
  switch (how) {
    case 'sum':
      return one + other
    case 'min':
      return Math.min(one, other)
    case 'max':
      return Math.max(one, other)
    case 'furthest':
      return Math.abs(one) >= Math.abs(other) ? one : other
  }
}
