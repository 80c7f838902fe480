/** A Vitest that stays up: runs the test files that it is told with one mutant awake, and answers whether they noticed. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'

export interface TestOrder {
  readonly mutant: number
  /** Absolute, the most likely ones first. */
  readonly files: readonly string[]
}

const awakeFile = process.env.DROVER_AWAKE ?? ''
const vitest = await createVitest('test', {
  config: fileURLToPath(new URL('vitest.config.ts', import.meta.url)),
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
})
const project = vitest.getRootProject()

async function run({ mutant, files }: TestOrder): Promise<boolean> {
  writeFileSync(awakeFile, String(mutant))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.map((file) => project.createSpecification(file)),
  )
  return unhandledErrors.length > 0 || testModules.some((module) => module.state() === 'failed')
}

process.on('message', (order: TestOrder) => {
  run(order).then(
    (noticed) => process.send?.({ noticed }),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })
