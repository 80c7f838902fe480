/** `npm run release-check -- v1.2.3`: whether this commit can be released under this tag. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { listPublished } from './packing/list-published.ts'
import { findReleaseProblems } from './packing/release-problems.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const problems = findReleaseProblems({
  tag: process.argv[2] ?? '',
  manifests: listPublished(ROOT).map(({ manifest }) => manifest),
  changelog: readFileSync(`${ROOT}/CHANGELOG.md`, 'utf8'),
})
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
