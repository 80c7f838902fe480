/** `npm run sbom -- --out <folder>`: a bill of materials for each published package, from the lockfile, without the network. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listPublished } from './packing/list-published.ts'
import { runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FORMATS = ['cyclonedx', 'spdx'] as const

const { values } = parseArgs({ options: { out: { type: 'string' } } })
if (values.out === undefined) throw new Error('say where to put the files: --out <folder>')
const out = resolve(values.out)
await mkdir(out, { recursive: true })
for (const { folder, manifest } of listPublished(ROOT)) {
  for (const format of FORMATS) {
    const args = ['sbom', '--package-lock-only', '--omit=dev', `--workspace=${folder}`, `--sbom-format=${format}`]
    const { code, stdout, output } = await runProgram('npm', args, ROOT)
    if (code !== 0) throw new Error(`npm sbom failed for ${folder}:\n${output}`)
    const file = join(out, `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.${format}.json`)
    await writeFile(file, stdout)
    const { components, packages } = JSON.parse(stdout)
    console.log(`${file}  ${(components ?? packages).length} packages`)
  }
}
