/** What a flood asked for and what it got. */
export interface FloodReport {
  /** Ids of accepted intents. */
  readonly accepted: readonly string[]
  /** Intents or requests that were refused, by status and code. */
  readonly refused: Readonly<Record<string, number>>
  readonly seconds: number
  readonly notes: readonly string[]
}

export interface FloodOrder {
  readonly kind: string
  readonly url: string
  readonly token: string
  readonly signers: readonly string[]
  /** Intents per second, where a flood has a pace. */
  readonly perSecond: number
}

/** Collects the answers of a flood. */
export class FloodTally {
  readonly accepted: string[] = []
  readonly notes: string[] = []
  private readonly refusals = new Map<string, number>()

  refuse(what: string, times = 1): void {
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + times)
  }

  report(seconds: number): FloodReport {
    return { accepted: this.accepted, refused: Object.fromEntries(this.refusals), seconds, notes: this.notes }
  }
}
