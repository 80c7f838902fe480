/** Where the command line starts, once it is compiled: the one place that knows. */
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url))
