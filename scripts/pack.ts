/** `npm run pack -- --out <folder> [--repository <url>]`: every published package as a tarball, in the order of publishing. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPackProblems, packPackages } from './packing/pack-packages.ts'

const { values } = parseArgs({ options: { out: { type: 'string' }, repository: { type: 'string' } } })
if (values.out === undefined) throw new Error('say where to put the tarballs: --out <folder>')
const packed = await packPackages({
  root: fileURLToPath(new URL('..', import.meta.url)),
  into: resolve(values.out),
  repository: values.repository ?? null,
})
for (const { tarball, files, packedBytes, unpackedBytes } of packed) {
  const sizes = [packedBytes, unpackedBytes].map((bytes) => `${Math.round(bytes / 1024)} KiB`)
  console.log(`${tarball}  ${files.length} files  ${sizes[0]}, unpacked ${sizes[1]}`)
}
const problems = (await Promise.all(packed.map(findPackProblems))).flat()
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
