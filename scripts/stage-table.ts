/** A copy of the table of stages for a package that cannot import the server. */
import { readFileSync } from 'node:fs'

const SOURCE = new URL('../packages/server/src/core/transaction/stage-table.ts', import.meta.url)

export function buildStageTable(): string {
  const notice = '// Copied from packages/server/src/core/transaction/stage-table.ts by `npm run generate`.\n'
  return `${notice}${readFileSync(SOURCE, 'utf8')}`
}
