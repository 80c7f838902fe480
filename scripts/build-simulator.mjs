/**
 * Puts the simulator into one file: what `drover simulate` of a clone runs. It is built from the sources of the server as
 * they are; a test build may have a bug planted in them, which no other build ever contains.
 */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const FOLDER = fileURLToPath(new URL('../packages/simulator', import.meta.url))

/**
 * @param {{ outDir?: string, plugins?: import('vite').Plugin[] }} options
 * @returns {Promise<string>} the file
 */
export async function buildSimulator({ outDir = `${FOLDER}/dist`, plugins = [] } = {}) {
  await build({
    configFile: false,
    root: FOLDER,
    logLevel: 'error',
    plugins,
    resolve: { conditions: ['drover-source', 'node', 'import', 'default'] },
    // Large, and the same in every build.
    ssr: {
      noExternal: true,
      external: ['viem'],
      resolve: { conditions: ['drover-source', 'node', 'import', 'default'] },
    },
    build: {
      ssr: 'src/index.ts',
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'simulator.js' } },
    },
  })
  return `${outDir}/simulator.js`
}
