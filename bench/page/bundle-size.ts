/** What a browser downloads: before the first paint, and in all. */
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const DIST = fileURLToPath(new URL('../../packages/dashboard/dist', import.meta.url))

interface Size {
  readonly kb: number
  readonly gzipKb: number
}

export async function readBundleSizes(): Promise<{ readonly first: Size; readonly all: Size }> {
  const html = await readFile(`${DIST}/index.html`, 'utf8')
  const named = [...html.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name]) => name ?? '')
  const files = (await readdir(`${DIST}/assets`)).filter((name) => /\.(?:js|css)$/.test(name))
  return { first: await measure(named), all: await measure(files) }
}

async function measure(names: readonly string[]): Promise<Size> {
  const contents = await Promise.all([...new Set(names)].map((name) => readFile(`${DIST}/assets/${name}`)))
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0) / 1_000
  return {
    kb: sum(contents.map(({ length }) => length)),
    gzipKb: sum(contents.map((content) => gzipSync(content).length)),
  }
}
