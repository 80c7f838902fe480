/**
 * A fault scenario: a test that also leaves a row in the table that the run prints at its end (scenario, held, seconds).
 * Where a scenario needs something that is not installed here, say so with `needs`: it is skipped, and the table says why.
 */
import { appendFileSync } from 'node:fs'
import { inject, test } from 'vitest'

export interface ScenarioOptions {
  readonly timeoutMs?: number
  /** What is missing on this machine, or null if nothing is. */
  readonly needs?: string | null
}

export interface ScenarioRow {
  readonly name: string
  readonly outcome: 'held' | 'FAILED' | 'skipped'
  readonly seconds: number
  readonly remark: string
}

/** `remark` adds a measured figure to the row. */
export type Remark = (text: string) => void

export function scenario(
  name: string,
  run: (remark: Remark) => Promise<void>,
  { timeoutMs = 300_000, needs = null }: ScenarioOptions = {},
): void {
  if (needs !== null) {
    record({ name, outcome: 'skipped', seconds: 0, remark: needs })
    test.skip(name, () => {})
    return
  }
  test(
    name,
    async () => {
      const startedAt = performance.now()
      const remarks: string[] = []
      let outcome: ScenarioRow['outcome'] = 'FAILED'
      try {
        await run((text) => remarks.push(text))
        outcome = 'held'
      } finally {
        record({ name, outcome, seconds: (performance.now() - startedAt) / 1000, remark: remarks.join('; ') })
      }
    },
    timeoutMs,
  )
}

function record(row: ScenarioRow): void {
  appendFileSync(inject('scenarioFile'), `${JSON.stringify(row)}\n`)
}
