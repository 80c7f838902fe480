/** Pure modules of the server's core that the client and the page need too, and that they may not import: they get a copy. */
import { readFileSync } from 'node:fs'

const CORE = 'packages/server/src/core'
const SHARED = ['back-off.ts', 'transaction/stage-table.ts']
const TAKEN_BY = ['packages/client/src/generated', 'packages/dashboard/src/generated']

/** Copies by their path from the root. */
export function buildSharedSources(): readonly (readonly [string, string])[] {
  return SHARED.flatMap((source) => {
    const text = readFileSync(new URL(`../${CORE}/${source}`, import.meta.url), 'utf8')
    const copy = `// Copied from ${CORE}/${source} by \`npm run generate\`.\n${text}`
    return TAKEN_BY.map((folder) => [`${folder}/${source.split('/').at(-1)}`, copy] as const)
  })
}
