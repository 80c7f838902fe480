/** The unit tests of the server, on sources with mutants in them: which ones, a file says that main.ts wrote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { instrument, type NumberedMutant } from './instrument.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const mutants: readonly NumberedMutant[] = JSON.parse(readFileSync(process.env.DROVER_MUTANTS ?? '', 'utf8'))
/** In the order that they are asked for: the most likely ones to notice come first. */
class AsAsked extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files)
  }
}

const resolve = { conditions: ['drover-source', 'module', 'node', 'default'] }

export default defineConfig({
  root: ROOT,
  resolve,
  ssr: { resolve },
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(text, id) {
        const own = mutants.filter(({ file }) => id === join(ROOT, file))
        return own.length === 0 ? null : { code: instrument(text, own), map: null }
      },
    },
  ],
  test: {
    include: ['packages/server/src/**/*.test.ts'],
    exclude: ['**/*.real.test.ts', '**/node_modules/**'],
    setupFiles: ['tests/mutation/record-passed.ts'],
    testTimeout: 300_000,
    retry: 0,
    sequence: { sequencer: AsAsked },
    pool: 'threads',
    maxWorkers: 2,
  },
})
