/** The entry file of the compiled command line. */
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url))
