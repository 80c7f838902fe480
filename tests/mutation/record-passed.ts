/** Vitest setup: after each test file, which mutants it has passed by. Only while none is awake. */
import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'

interface Mutants {
  readonly awake: number
  readonly passed: Set<number>
}

const file = process.env.DROVER_MUTANTS_PASSED
let startedAt = 0

beforeAll(() => {
  startedAt = performance.now()
})

afterAll(() => {
  if (file === undefined) return
  const { __mutants } = globalThis as { __mutants?: Mutants }
  const ms = Math.round(performance.now() - startedAt)
  appendFileSync(
    file,
    `${JSON.stringify({ test: expect.getState().testPath, ms, passed: [...(__mutants?.passed ?? [])] })}\n`,
  )
})
