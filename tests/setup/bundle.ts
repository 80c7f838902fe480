/** Bundles a program and its imports into one script, as a web page would load it. */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ENTRY = 'virtual:program'

/** Nothing of it runs here. Importing a Node module is an error. */
export async function bundle(program: string): Promise<string> {
  const output = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['drover-source', 'module', 'browser', 'default'] },
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      rollupOptions: { input: ENTRY, output: { format: 'iife' } },
    },
    plugins: [
      {
        name: 'program',
        resolveId(id) {
          if (id === ENTRY) return ENTRY
          if (id.startsWith('node:')) throw new Error(`${id} is imported`)
          return null
        },
        load: (id) => (id === ENTRY ? program : null),
      },
    ],
  })
  const [first] = [output].flat()
  if (first === undefined || !('output' in first)) throw new Error('nothing was built')
  return first.output[0].code
}
