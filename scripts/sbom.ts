/** `npm run sbom -- --out <folder>`: a bill of materials for each published package, from the lockfile. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listPublished } from './packing/list-published.ts'
import { readLock } from './packing/production-tree.ts'
import { SBOM_FORMATS, writeSbom } from './packing/write-sbom.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { values } = parseArgs({ options: { out: { type: 'string' } } })
if (values.out === undefined) throw new Error('say where to put the files: --out <folder>')
const out = resolve(values.out)
await mkdir(out, { recursive: true })
const lock = readLock(ROOT)
for (const own of listPublished(ROOT)) {
  const name = own.manifest.name.replace('@', '').replace('/', '-')
  for (const format of SBOM_FORMATS) {
    const file = join(out, `${name}-${own.manifest.version}.${format}.json`)
    await writeFile(file, await writeSbom(lock, own, format))
    console.log(file)
  }
}
